#pragma once

#include <functional>
#include <span>
#include <vector>

#include "kernels/base/linear_tuning.h"

namespace quire::cpu {

/// The times of one pass with a tuning.
struct TuningPass {
  double seconds;  ///< What candidates are compared by.
  double elapsed;  ///< What the pass took of the budget, in seconds.
};

/// The outcome of a comparison.
struct ComparedTunings {
  size_t chosen = 0;            ///< The index of the chosen candidate.
  std::vector<double> seconds;  ///< Of a typical pass, by candidate.
  double elapsed = 0.0;         ///< Of all passes.
};

/// Finds the fastest of the candidates, of which the first is the default; there is at least one.
/// Another one is chosen only if it is at least 3 % faster twice: in rounds of all candidates, and
/// then in rounds with only the default.
///
/// A round measures each candidate once, so that slow moments of the machine affect all of them
/// alike. The lower quartile of a candidate's passes counts, because other programs only ever make
/// a pass slower. Candidates that are clearly slower are left out after three rounds. Measuring
/// ends after about budget_seconds, but not before three rounds.
ComparedTunings compare_tunings(std::span<const LinearTuning> candidates,
                                const std::function<TuningPass(const LinearTuning&)>& measure,
                                double budget_seconds);

/// Whether this thread's StoppableTuning says that measuring is to end.
bool is_tuning_stopped();

}  // namespace quire::cpu
