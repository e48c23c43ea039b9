#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "app/confine/confine.h"
#include "kernels/base/result.h"

namespace quire {

struct ConfinedEnd {
  std::string answer;
  std::chrono::milliseconds cpu{0};
  uint64_t peak_bytes = 0;  ///< Resident, files included.
};

/// Runs `work` in a forked process under PreparedConfinement and returns its answer. The process
/// has none of this one's open files; its standard streams are /dev/null. An exception of `work`
/// counts as a crash, std::bad_alloc as too much memory, wherever it is thrown. Waits no longer
/// than `wall`, even for a process that cannot be killed; such a one is left behind. `what` names
/// the file in the sentences.
///
/// Errors: kOutOfMemory, kUnsupported (it computed too long, or answers more than
/// ConfineLimits::answer_bytes), kCorruptFile (it crashed): those are the work's fault. kCancelled:
/// something else ended the process, or `wall` was over before it got half of the CPU time that it
/// could have had; kIo: it could not be started.
/// Thread: the only one of its process.
Result<ConfinedEnd> confined_call(const ConfineLimits& limits, std::chrono::milliseconds wall,
                                  const std::function<std::string()>& work, std::string_view what);

/// The error of a process that reached the deadline after computing for `cpu`, of `most` that it
/// could have had: on a busy machine it gets less. kUnsupported if it had at least half of that,
/// kCancelled otherwise.
Error late_error(std::chrono::milliseconds cpu, std::chrono::milliseconds most,
                 std::string_view what);

}  // namespace quire
