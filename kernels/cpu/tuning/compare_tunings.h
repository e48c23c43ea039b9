#pragma once

#include <functional>
#include <span>
#include <vector>

#include "kernels/base/linear_tuning.h"

namespace quire::cpu {

/// The outcome of a comparison, by candidate.
struct ComparedTunings {
  size_t chosen = 0;
  std::vector<double> seconds;  ///< Of a typical pass.
  double total_seconds = 0.0;   ///< Of all passes.
};

/// Finds the fastest of the candidates, of which the first is the default. Another is chosen only
/// if it is at least 3 % faster, twice: in rounds of all candidates, and then alone against the
/// default.
///
/// Within a round each candidate is measured once, so that all of them meet the machine's slow and
/// quiet moments. The lower quartile of a candidate's passes counts: other programs only ever make
/// a pass slower. measure(tuning) returns the seconds of one pass. Candidates that are clearly
/// slower are left out after three rounds. Passes end at about budget_seconds, after at least three
/// rounds.
ComparedTunings compare_tunings(std::span<const LinearTuning> candidates,
                                const std::function<double(const LinearTuning&)>& measure,
                                double budget_seconds);

}  // namespace quire::cpu
