#pragma once

#include <algorithm>

namespace quire {

/// Limits the time that drafts may lose, whatever the text: they may take 0.95 of what earlier
/// drafts saved, 0.5 % of all steps' time, and the time of 3 steps at the beginning. All amounts
/// are multiples of the time of a step without drafts. Thread: one at a time.
class DraftBudget {
 public:
  /// Whether a step may take so much longer because of its drafts.
  bool allows(double cost) const { return cost <= m_credit; }
  /// Adds the allowance of one step.
  void pass() { add(kAllowance); }
  /// Takes off what a step took longer because of its drafts. A negative cost is noise and ignored.
  void spend(double cost) { add(-std::max(0.0, cost)); }
  /// Adds what accepted drafts saved, less 5 %: if the time of steps without drafts was measured
  /// too high, drafts without a gain seem to have one.
  void earn(double gain) { add(kCounted * gain); }

 private:
  static constexpr double kAllowance = 0.005;
  static constexpr double kCounted = 0.95;
  static constexpr double kFirstCredit = 3.0;
  /// The most that is kept of earlier gains.
  static constexpr double kMostCredit = 8.0;
  void add(double amount) { m_credit = std::min(kMostCredit, m_credit + amount); }

  double m_credit = kFirstCredit;
};

}  // namespace quire
