#pragma once

namespace quire {

/// Leaves this process, which must have no new privileges, only the system calls for reading files,
/// for memory, time and its own end; everything else fails with EPERM. Files open for reading
/// alone. If `may_execute`, it may also execute a program, which the filter then holds for. False
/// where the system has no seccomp, or for a processor that the filter does not know.
/// Async-signal-safe.
bool filter_system_calls(bool may_execute);

}  // namespace quire
