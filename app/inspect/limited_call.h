#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "kernels/base/result.h"

namespace quire {

/// What a call may take before it is ended.
struct CallLimits {
  uint64_t data_bytes = uint64_t{400} << 20;  ///< Anonymous memory; mapped files do not count.
  std::chrono::seconds cpu{5};                ///< Some ten times what large vocabularies take.
};

struct LimitedEnd {
  std::string answer;
  std::chrono::milliseconds cpu{0};
  uint64_t peak_bytes = 0;  ///< Resident, files included.
};

/// Runs `work` in a forked process and returns its answer, at most 1 MiB. The process cannot write
/// data to files (RLIMIT_FSIZE) or gain privileges; it can still delete files and use the network.
/// Waits no longer than `wall`, even for a process that cannot be killed; such a one is left
/// behind. `what` names the file in the sentences.
///
/// Errors: kOutOfMemory, kUnsupported (it took too long), kCorruptFile (it crashed): those are the
/// work's fault. kCancelled: something else ended the process; kIo: it could not be started.
/// Thread: the only one of its process.
Result<LimitedEnd> limited_call(const CallLimits& limits, std::chrono::milliseconds wall,
                                const std::function<std::string()>& work, std::string_view what);

}  // namespace quire
