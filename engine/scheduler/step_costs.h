#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace quire {

/// How long steps of decodes take, by their number of rows, as measured. Thread: one at a time.
class StepCosts {
 public:
  /// The most rows of a step with drafts.
  static constexpr int kMaxRows = 64;

  /// Records the time of a step with `num_rows` rows. Other programs may have slowed it, so it
  /// counts as at most a third more, or a quarter less, than the mean (twice or half, while the
  /// mean is of few steps, of which the least counts). Most of a change is applied to the means of
  /// all numbers of rows, because its likely cause is the machine. Returns the milliseconds that
  /// the step counts as; 0 if it was ignored.
  double note(int num_rows, double milliseconds);

  /// The milliseconds that a step is expected to take; 0 before any was measured. Interpolated
  /// between measured numbers of rows, and extrapolated from the last two.
  double expected_ms(int num_rows) const;
  /// The smaller of the short and the long running mean for exactly `num_rows` rows, in ms, so that
  /// noise in the last measurements does not raise it; 0: they were not measured.
  double least_ms(int num_rows) const {
    return std::min(at(num_rows).ms, at(num_rows).long_term_ms);
  }
  /// Whether steps of exactly `num_rows` rows were measured at least three times, the last time
  /// within the last `most_age` steps.
  bool is_known(int num_rows, int most_age) const;
  /// The largest step that may be tried: twice the largest that was measured.
  int most_rows() const;

 private:
  struct Cost {
    double ms = 0.0;            ///< A running mean of few measurements.
    double long_term_ms = 0.0;  ///< One of many measurements.
    /// The mean, lowered a little with each smaller step that is measured later: otherwise a number
    /// of rows that was slow once would never be tried again.
    double expected_ms = 0.0;
    int count = 0;          ///< Number of measurements.
    int64_t last_step = 0;  ///< The number of the step that was measured last.
  };
  void adjust_others(int num_rows, double change);
  Cost& at(int num_rows) { return m_costs[static_cast<size_t>(num_rows)]; }
  const Cost& at(int num_rows) const { return m_costs[static_cast<size_t>(num_rows)]; }
  int measured_below(int num_rows) const;
  int measured_above(int num_rows) const;

  std::array<Cost, kMaxRows + 1> m_costs{};  ///< By rows.
  int64_t m_num_steps = 0;
};

}  // namespace quire
