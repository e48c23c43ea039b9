#pragma once

#include <algorithm>

namespace quire {

/// Limits what drafts may lose, whatever the text: they may take only what earlier ones gained,
/// 0.5 % of all steps' time, and a little to begin with. Amounts are in steps without drafts.
class DraftBudget {
 public:
  bool allows(double cost) const { return cost <= m_credit; }
  /// A step has passed.
  void pass() { add(kAllowance); }
  /// A step took so much longer because of its drafts. Less than nothing would be noise.
  void spend(double cost) { add(-std::max(0.0, cost)); }
  /// Accepted drafts saved so many steps. What steps without drafts take may have been measured too
  /// high, and only then do drafts without a gain seem to have one: less is counted.
  void earn(double gain) { add(kCounted * gain); }

 private:
  static constexpr double kAllowance = 0.005;
  static constexpr double kCounted = 0.95;
  static constexpr double kFirstCredit = 3.0;
  /// What long-gone gains are worth, at most.
  static constexpr double kMostCredit = 8.0;
  void add(double amount) { m_credit = std::min(kMostCredit, m_credit + amount); }

  double m_credit = kFirstCredit;
};

}  // namespace quire
