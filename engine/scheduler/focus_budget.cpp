#include "engine/scheduler/focus_budget.h"

#include <algorithm>

namespace quire {
namespace {

/// Steps alone that are measured before there is anything to compare with.
constexpr int kFirstProbes = 3;
/// How fast the number of rows grows. It shrinks by at most half a step, because one long step may
/// be another program's fault.
constexpr double kGrowth = 1.125;
constexpr double kFirstGrowth = 0.5;
constexpr double kMostShrink = 0.5;
/// A single step counts as at most this multiple of the mean, of which a new one has the weight
/// kNewExcess: other programs lengthen steps at random, and those without low-priority rows count
/// in the same way (StepCosts).
constexpr double kMostOfMean = 2.0;
constexpr double kNewExcess = 0.3;
/// The most credit that a step may take: more would deny rows in more than kMostLone steps.
constexpr double kMostDebt = FocusBudget::kMostLone * FocusBudget::kShare;

}  // namespace

int FocusBudget::rows_beside(int num_rows) const {
  const bool is_measured =
      m_num_alone >= kFirstProbes && m_since_alone < kProbeSteps && num_rows <= StepCosts::kMaxRows;
  if (is_measured && m_credit > 0.0) return static_cast<int>(m_rows);
  return m_num_lone < kMostLone ? 0 : 1;
}

void FocusBudget::note_step(int num_rows, int num_low_rows, double milliseconds) {
  if (num_rows < 1 || num_rows > StepCosts::kMaxRows || milliseconds <= 0.0) return;
  double excess = 0.0;
  if (num_low_rows == 0) {
    m_alone.note(num_rows, milliseconds);
    ++m_num_alone;
    m_since_alone = 0;
  } else {
    ++m_since_alone;
    const double alone = m_alone.expected_ms(num_rows);
    if (alone <= 0.0) return;
    excess = std::min(milliseconds / alone, kMostOfMean * (1.0 + m_excess)) - 1.0;
    m_excess = std::max(0.0, m_excess + kNewExcess * (excess - m_excess));
    adapt(num_low_rows, excess);
  }
  m_credit = std::clamp(m_credit + kShare - excess, -kMostDebt, kShare);
}

void FocusBudget::adapt(int num_low_rows, double excess) {
  if (excess > kShare) {
    const double most = std::min(m_rows, static_cast<double>(num_low_rows));
    m_rows = std::max(1.0, most * std::max(kMostShrink, kShare / excess));
  } else if (num_low_rows >= static_cast<int>(m_rows)) {
    m_rows = m_rows * kGrowth + kFirstGrowth;
  }
}

void FocusBudget::restart() {
  m_alone = {};
  m_num_alone = 0;
  m_since_alone = 0;
}

}  // namespace quire
