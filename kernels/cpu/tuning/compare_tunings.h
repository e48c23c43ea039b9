#pragma once

#include <functional>
#include <span>
#include <vector>

#include "kernels/base/linear_tuning.h"

namespace quire::cpu {

/// One pass with a tuning.
struct TuningPass {
  double seconds;  ///< What candidates are compared by.
  double elapsed;  ///< What the pass took of the budget, in seconds.
};

/// The outcome of a comparison, by candidate.
struct ComparedTunings {
  size_t chosen = 0;
  std::vector<double> seconds;  ///< Of a typical pass.
  double elapsed = 0.0;         ///< Of all passes.
};

/// Finds the fastest of the candidates, of which the first is the default. Another is chosen only
/// if it is at least 3 % faster, twice: in rounds of all candidates, and then alone against the
/// default.
///
/// Within a round each candidate is measured once, so that all of them meet the machine's slow and
/// quiet moments. The lower quartile of a candidate's passes counts: other programs only ever make
/// a pass slower. Candidates that are clearly
/// slower are left out after three rounds. Passes end at about budget_seconds, after at least three
/// rounds.
ComparedTunings compare_tunings(std::span<const LinearTuning> candidates,
                                const std::function<TuningPass(const LinearTuning&)>& measure,
                                double budget_seconds);

}  // namespace quire::cpu
