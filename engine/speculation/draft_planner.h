#pragma once

#include <span>
#include <vector>

#include "engine/scheduler/step_costs.h"
#include "engine/speculation/draft_budget.h"
#include "engine/speculation/draft_record.h"

namespace quire {

/// Decides how many drafts the sequences of a step compute: as many as give the most tokens per
/// second by the measured costs of steps (StepCosts), within a budget for losses (DraftBudget).
/// Thread: one at a time.
class DraftPlanner {
 public:
  /// The most rows of a step with drafts.
  static constexpr int kMaxRows = StepCosts::kMaxRows;

  struct Candidate {
    double chance = 0.0;  ///< The probability that a draft is right if those before it are.
    int most = 0;         ///< The most drafts that there are or can be made.
    bool focused = false;
    bool is_low = false;        ///< Of low priority.
    double ms_per_draft = 0.0;  ///< What guessing one takes.
    /// The chance of each draft, if it is not the same for all; the last one is also that of later
    /// drafts. Empty: `chance`.
    std::vector<double> chances = {};

    /// Of draft 0, 1, ...
    double chance_of(int draft) const;
  };
  /// Returns how many drafts each candidate computes, beside the `num_rows` rows that are computed
  /// anyway. All are 0 if less than 8 % is gained, if no step of `num_rows` rows was measured
  /// within the last 64 steps (8 for gains below 30 %), or if the budget is spent.
  std::vector<int> plan(std::span<const Candidate> candidates, int num_rows) const;

  /// Records the time of a step of decodes. num_rows: all rows, the `num_drafts` drafts included.
  void note_step(int num_rows, double milliseconds, int num_drafts = 0);
  /// Records how many drafts of one sequence in the step of the last note_step() were accepted.
  void note_accepted(int count);
  /// Adds the time that guessing for the next step took.
  void note_guessing(double milliseconds) { m_guessing_ms += milliseconds; }
  /// The milliseconds that a step is expected to take; 0 before any was measured.
  double expected_ms(int num_rows) const { return m_costs.expected_ms(num_rows); }

 private:
  StepCosts m_costs;
  DraftBudget m_budget;
  double m_guessing_ms = 0.0;  ///< Since the last note_step().
  int m_num_decodes = 1;       ///< Rows of the last noted step that are not drafts.
};

}  // namespace quire
