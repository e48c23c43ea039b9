#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace quire {

/// What steps of decodes cost by their rows, as measured. Thread: one at a time.
class StepCosts {
 public:
  /// Rows of a step with drafts, at most.
  static constexpr int kMaxRows = 64;

  /// A step with so many rows took so long. Returns what that counts as. Other programs may have
  /// been in the way: a single step counts as at most a third more, or a quarter less, than what is
  /// known. Most of a change is taken for the machine's, which all steps share.
  double note(int num_rows, double milliseconds);

  /// What a step is expected to take; 0 before any was measured. Between two measured numbers of
  /// rows it is interpolated, beyond the last it goes on as between the last two.
  double expected_ms(int num_rows) const;
  /// What just so many rows cost at least, whatever the noise of the last measurements; 0: they
  /// were not measured.
  double least_ms(int num_rows) const { return std::min(at(num_rows).ms, at(num_rows).slow_ms); }
  /// Whether steps of just so many rows were measured a few times, the last one among the last
  /// `most_age` steps.
  bool is_known(int num_rows, int most_age) const;
  /// The largest step that may be tried: twice the largest that was measured.
  int most_rows() const;

 private:
  struct Cost {
    double ms = 0.0;       ///< A running mean.
    double slow_ms = 0.0;  ///< One of many measurements.
    /// What is expected: less than the mean if a smaller step was measured since, because a step
    /// that was slow once would never be tried again.
    double hoped_ms = 0.0;
    int count = 0;  ///< Measurements; 0: never measured.
    int64_t last_step = 0;
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
