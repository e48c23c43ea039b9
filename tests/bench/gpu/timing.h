#pragma once

#include <chrono>
#include <functional>

#include "kernels/backend.h"

namespace quire::bench {

inline double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Calls 0 to num_calls - 1, each on other data, so that no cache holds what the next one reads.
struct TimedCalls {
  int num_calls = 1;
  std::function<void(int)> call;
  /// They are submitted as a step (CUDA graphs), as the engine submits what does not upload:
  /// otherwise the host's launches are what is measured.
  bool is_step = true;
  double budget_seconds = 0.03;  ///< Of one of the three rounds.
};

/// Seconds of one call: the best of three rounds, each between two synchronisations and as many
/// times all calls as the budget holds. Errors: what the device reports.
Result<double> seconds_per_call(Backend& backend, const TimedCalls& calls);

}  // namespace quire::bench
