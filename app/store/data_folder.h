#pragma once

#include <QString>

#include "kernels/base/result.h"

namespace quire {

/// Makes the folder of the user's data, readable by its owner only, and its parents, durably. From
/// an existing folder of the user the right of others to write is taken away. A folder that others
/// may still write is refused, because they could replace the files in it; a file system without
/// permissions is not. Errors: kIo with the path, the reason and what to do.
Result<void> ensureDataFolder(const QString& folder);

/// Makes an existing file readable by its owner only. A failure is ignored, because some file
/// systems have no permissions.
void restrictToOwner(const QString& path);

/// Makes the file if it is missing, and makes it readable by its owner only. An existing one may be
/// open, and may be unwritable. Errors: kIo as above.
Result<void> ensurePrivateFile(const QString& path);

/// Makes what was written to a file, or what was renamed in a folder, durable. False if that
/// failed.
bool syncPath(const QString& path);

/// Renames `from` to `to`, which it replaces atomically if it exists, and makes the change durable.
/// False if `to` is unchanged, or if the folder could not be synced, so that a power failure may
/// undo the change.
bool replaceDurably(const QString& from, const QString& to);

// A note beside a store that was found damaged while it was in use. The next start then checks the
// whole store and offers to repair it. Thread: any.

void noteDamage(const QString& storePath);
bool isDamageNoted(const QString& storePath);
/// To be called when a check of the whole store found nothing wrong.
void forgetDamage(const QString& storePath);

}  // namespace quire
