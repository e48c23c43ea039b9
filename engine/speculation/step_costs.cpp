#include "engine/speculation/step_costs.h"

#include <algorithm>

#include "kernels/base/check.h"

namespace quire {
namespace {

/// A row more is expected to cost at least so much of a step until that was measured.
constexpr double kUnmeasuredRow = 0.03;
/// The part of a new measurement in a mean, at least, and if the last one is long ago.
constexpr double kNew = 0.2;
constexpr double kNewOfMany = 0.03;
constexpr double kNewAfterLong = 0.3;
/// A single step counts as so many times the mean at most; more while the mean is of few.
constexpr double kMost = 4.0 / 3.0;
constexpr double kMostOfFew = 2.0;
/// The part of a change that is taken for one of all steps.
constexpr double kShared = 0.75;
/// How fast a mean that is not renewed is forgotten; faster if it is of few measurements.
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
    cost.ms = cost.slow_ms = milliseconds;
  } else {
    const bool is_few = cost.count < kFew;
    const bool is_old = m_num_steps - cost.last_step > kOld;
    const double weight =
        std::max(is_old ? kNewAfterLong : kNew, 1.0 / static_cast<double>(cost.count + 1));
    const double most = is_few ? kMostOfFew : kMost;
    milliseconds = std::clamp(milliseconds, cost.ms / most, cost.ms * most);
    change += weight * (milliseconds / cost.ms - 1.0);
    cost.ms *= change;
    const double slow_weight = std::max(kNewOfMany, 1.0 / static_cast<double>(cost.count + 1));
    cost.slow_ms += slow_weight * (milliseconds - cost.slow_ms);
  }
  cost.hoped_ms = cost.ms;
  cost.count = std::min(cost.count + 1, 1000);
  cost.last_step = m_num_steps;
  adjust_others(num_rows, 1.0 + kShared * (change - 1.0));
  return milliseconds;
}

/// The means of other rows after one changed. A smaller step costs no more than this one.
void StepCosts::adjust_others(int num_rows, double change) {
  const double ms = at(num_rows).ms;
  for (int rows = 1; rows <= kMaxRows; ++rows) {
    Cost& other = at(rows);
    if (other.count == 0 || rows == num_rows) continue;
    other.ms *= change;
    other.slow_ms *= change;
    other.hoped_ms *= change;
    if (rows < num_rows) {
      if (other.ms > ms) other.ms += kNew * (ms - other.ms);
      other.hoped_ms = std::min(other.hoped_ms, other.ms);
      continue;
    }
    const double least = ms * (1.0 + kUnmeasuredRow * (rows - num_rows));
    const double forgotten = other.count < kFew ? kForgottenOfFew : kForgotten;
    if (other.hoped_ms > least) other.hoped_ms -= forgotten * (other.hoped_ms - least);
  }
}

double StepCosts::expected_ms(int num_rows) const {
  CHECK(num_rows > 0 && num_rows <= kMaxRows);
  const int below = measured_below(num_rows);
  const int above = measured_above(num_rows);
  if (below == 0) return above > kMaxRows ? 0.0 : at(above).hoped_ms;
  const double low = at(below).hoped_ms;
  if (above > kMaxRows) {
    const int lower = measured_below(below - 1);
    const double slope = lower == 0 ? 0.0 : (low - at(lower).hoped_ms) / (below - lower);
    return low + std::max(slope, kUnmeasuredRow * low) * (num_rows - below);
  }
  if (above == below) return low;
  const double part = static_cast<double>(num_rows - below) / (above - below);
  return low + part * (at(above).hoped_ms - low);
}

bool StepCosts::is_known(int num_rows, int most_age) const {
  const Cost& cost = at(num_rows);
  return cost.count >= kFew && m_num_steps - cost.last_step <= most_age;
}

int StepCosts::most_rows() const {
  return std::min(kMaxRows, 2 * measured_below(kMaxRows));
}

/// The largest measured number of rows up to `num_rows`; 0: none.
int StepCosts::measured_below(int num_rows) const {
  while (num_rows > 0 && at(num_rows).count == 0) --num_rows;
  return num_rows;
}

/// The smallest from `num_rows` on; more than kMaxRows: none.
int StepCosts::measured_above(int num_rows) const {
  while (num_rows <= kMaxRows && at(num_rows).count == 0) ++num_rows;
  return num_rows;
}

}  // namespace quire
