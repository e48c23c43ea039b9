#pragma once

#include <filesystem>
#include <vector>

namespace quire {

/// A Landlock ruleset that allows reading `readable` and the system's libraries, executing them and
/// the system's programs if `may_execute`, and of everything else that this kernel knows to
/// restrict (writing, TCP, signals to others) nothing. Links are followed; what cannot be opened is
/// left out. Returns a file descriptor, or -1 where there is no Landlock.
int make_landlock_ruleset(const std::vector<std::filesystem::path>& readable, bool may_execute);

/// Restricts this process, which must have no new privileges, and closes the ruleset. False if the
/// kernel refuses. Async-signal-safe.
bool restrict_by_landlock(int ruleset);

}  // namespace quire
