#pragma once

#include <QLockFile>

namespace quire {

/// Removes the lock file of a process that ended but that its parent has not waited for (a zombie).
/// QLockFile counts it as running, although it can neither answer nor write.
void removeLockOfZombie(QLockFile& lock);

}  // namespace quire
