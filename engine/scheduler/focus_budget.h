#pragma once

#include "engine/scheduler/step_costs.h"

namespace quire {

/// Limits what low-priority sequences compute in the steps in which a focused chat decodes, so that
/// these steps take on average at most 1 + kShare times as long as without them, on any machine.
///
/// Two measures work together. The number of rows grows while steps stay within the share and
/// shrinks when one does not, which finds the most rows whatever their cost is. And each step adds
/// the share to a credit from which the measured excess of each step is taken: without credit the
/// chats run alone. A step without low-priority rows is run from time to time anyway, because the
/// excess is measured against such steps.
///
/// Thread: one at a time.
/// Invariants: low-priority rows are denied in at most kMostLone steps in a row.
class FocusBudget {
 public:
  static constexpr double kShare = 0.25;
  static constexpr int kMostLone = 16;
  /// Steps after which one without low-priority rows is measured again.
  static constexpr int kProbeSteps = 16;

  /// The low-priority rows that the next step may compute beside `num_rows` rows of chats.
  int rows_beside(int num_rows) const;
  /// Whether the next step may be denied such rows.
  bool may_be_lone() const { return m_num_lone < kMostLone; }
  /// Records whether a step was allowed such rows.
  void count_step(bool is_allowed) { m_num_lone = is_allowed ? 0 : m_num_lone + 1; }
  /// Records the time of a step in which the rows of chats were decodes and drafts only.
  void note_step(int num_rows, int num_low_rows, double milliseconds);
  /// Another chat decodes: the time of a step alone is measured anew.
  void restart();

 private:
  void adapt(int num_low_rows, double excess);

  StepCosts m_alone;         ///< Of steps without low-priority rows.
  int m_num_alone = 0;       ///< Steps that m_alone measured.
  int m_since_alone = 0;     ///< Steps since the last of them.
  int m_num_lone = 0;        ///< The last steps in a row that were allowed no low-priority rows.
  double m_credit = kShare;  ///< In multiples of the time of a step alone.
  double m_excess = kShare;  ///< A running mean, of steps with such rows.
  double m_rows = 1.0;       ///< The most low-priority rows of a step, at least 1.
};

}  // namespace quire
