#pragma once

#include <memory>

namespace quire {

/// A filter that leaves a process only the system calls for reading files, for memory, time and its
/// own end; everything else fails with EPERM. Files open for reading alone.
class SystemCallFilter;

/// If `may_execute`, the process may also execute a program, which the filter then holds for. Null
/// for a processor whose calls the filter does not know. Made before the process is forked, whose
/// stack may be too small for it.
std::shared_ptr<SystemCallFilter> make_system_call_filter(bool may_execute);

/// Filters the calls of this process, which must have no new privileges. False where the system has
/// no seccomp. Async-signal-safe.
bool install(SystemCallFilter& filter);

}  // namespace quire
