#include "engine/scheduler/step_costs.h"

#include <algorithm>

#include "kernels/base/check.h"

namespace quire {
namespace {

/// The part of a step's time that one more row is expected to add, at least, until it is measured.
constexpr double kUnmeasuredRow = 0.03;
/// The weight of a new measurement, at least: in the mean, in the long-term mean, and in the mean
/// if the measurement before is old.
constexpr double kNewCost = 0.2;
constexpr double kNewOfMany = 0.03;
constexpr double kNewAfterLong = 0.3;
/// A single step counts as at most this multiple of the mean; the larger one applies while the mean
/// is of fewer than kFew measurements.
constexpr double kMost = 4.0 / 3.0;
constexpr double kMostOfFew = 2.0;
/// The part of a change that is applied to all numbers of rows.
constexpr double kShared = 0.75;
/// How far expected_ms moves, per smaller step, towards what the smaller step suggests; farther if
/// the mean is of few measurements.
constexpr double kForgotten = 0.01;
constexpr double kForgottenOfFew = 0.04;
constexpr int kFew = 3;
/// Steps after which a measurement is old.
constexpr int kOld = 64;

}  // namespace

double StepCosts::note(int num_rows, double milliseconds) {
  if (num_rows < 1 || num_rows > kMaxRows || milliseconds <= 0.0) return 0.0;
  Cost& cost = at(num_rows);
  ++m_num_steps;
  double change = 1.0;
  if (cost.count == 0) {
    cost.ms = cost.long_term_ms = milliseconds;
  } else {
    const bool is_few = cost.count < kFew;
    const bool is_old = m_num_steps - cost.last_step > kOld;
    // Other programs only ever make a step slower, so of few measurements the least counts.
    const bool is_least = is_few && milliseconds < cost.ms;
    const double weight = is_least ? 1.0
                                   : std::max(is_old ? kNewAfterLong : kNewCost,
                                              1.0 / static_cast<double>(cost.count + 1));
    const double most = is_few ? kMostOfFew : kMost;
    if (!is_least) milliseconds = std::clamp(milliseconds, cost.ms / most, cost.ms * most);
    change += weight * (milliseconds / cost.ms - 1.0);
    cost.ms *= change;
    const double long_term_weight = std::max(kNewOfMany, 1.0 / static_cast<double>(cost.count + 1));
    cost.long_term_ms += long_term_weight * (milliseconds - cost.long_term_ms);
  }
  cost.expected_ms = cost.ms;
  cost.count = std::min(cost.count + 1, 1000);
  cost.last_step = m_num_steps;
  adjust_others(num_rows, 1.0 + kShared * (change - 1.0));
  return milliseconds;
}

/// Adjusts the means of the other numbers of rows after that of `num_rows` changed. Smaller steps
/// are assumed to cost no more than this one.
void StepCosts::adjust_others(int num_rows, double change) {
  const double ms = at(num_rows).ms;
  for (int rows = 1; rows <= kMaxRows; ++rows) {
    Cost& other = at(rows);
    if (other.count == 0 || rows == num_rows) continue;
    other.ms *= change;
    other.long_term_ms *= change;
    other.expected_ms *= change;
    if (rows < num_rows) {
      if (other.ms > ms) other.ms += kNewCost * (ms - other.ms);
      other.expected_ms = std::min(other.expected_ms, other.ms);
      continue;
    }
    const double least = ms * (1.0 + kUnmeasuredRow * (rows - num_rows));
    const double forgotten = other.count < kFew ? kForgottenOfFew : kForgotten;
    if (other.expected_ms > least) other.expected_ms -= forgotten * (other.expected_ms - least);
  }
}

double StepCosts::expected_ms(int num_rows) const {
  CHECK(num_rows > 0 && num_rows <= kMaxRows);
  const int below = measured_below(num_rows);
  const int above = measured_above(num_rows);
  if (below == 0) return above > kMaxRows ? 0.0 : at(above).expected_ms;
  const double low = at(below).expected_ms;
  if (above > kMaxRows) {
    const int lower = measured_below(below - 1);
    const double slope = lower == 0 ? 0.0 : (low - at(lower).expected_ms) / (below - lower);
    return low + std::max(slope, kUnmeasuredRow * low) * (num_rows - below);
  }
  if (above == below) return low;
  const double part = static_cast<double>(num_rows - below) / (above - below);
  return low + part * (at(above).expected_ms - low);
}

bool StepCosts::is_known(int num_rows, int most_age) const {
  const Cost& cost = at(num_rows);
  return cost.count >= kFew && m_num_steps - cost.last_step <= most_age;
}

int StepCosts::most_rows() const {
  return std::min(kMaxRows, 2 * measured_below(kMaxRows));
}

/// The largest measured number of rows that is at most `num_rows`; 0: none.
int StepCosts::measured_below(int num_rows) const {
  while (num_rows > 0 && at(num_rows).count == 0) --num_rows;
  return num_rows;
}

/// The smallest measured number of rows that is at least `num_rows`; more than kMaxRows: none.
int StepCosts::measured_above(int num_rows) const {
  while (num_rows <= kMaxRows && at(num_rows).count == 0) ++num_rows;
  return num_rows;
}

}  // namespace quire
