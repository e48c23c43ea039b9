#pragma once

#include <span>
#include <vector>

#include "engine/speculation/draft_budget.h"
#include "engine/speculation/draft_record.h"
#include "engine/speculation/step_costs.h"

namespace quire {

/// Decides how many drafts the sequences of a step compute: as many as promise the most tokens per
/// second, by what steps of so many rows were measured to cost, within a budget for losses.
/// Thread: one at a time.
class DraftPlanner {
 public:
  /// Rows of a step with drafts.
  static constexpr int kMaxRows = StepCosts::kMaxRows;

  struct Candidate {
    double chance = 0.0;  ///< That a draft is right if those before it are.
    int most = 0;         ///< Drafts that there are, or may be.
    bool focused = false;
    double ms_per_draft = 0.0;  ///< What guessing one takes.
    /// The chance of each draft, if it is not the same for all; the last one is of those behind it.
    std::vector<double> chances = {};

    double chance_of(int draft) const;
  };
  /// How many drafts each candidate computes, beside the `num_rows` rows that are computed anyway.
  /// None if that promises less than 8 % more, or if a step of `num_rows` was not measured
  /// lately.
  std::vector<int> plan(std::span<const Candidate> candidates, int num_rows) const;

  /// A step of decodes with so many rows, drafts included, took so long.
  void note_step(int num_rows, double milliseconds, int num_drafts = 0);
  /// So many drafts of the noted step were accepted.
  void note_accepted(int count);
  /// Guessing for the next step took so long.
  void note_guessing(double milliseconds) { m_guessing_ms += milliseconds; }
  /// What such a step is expected to take; 0 before any was measured.
  double expected_ms(int num_rows) const { return m_costs.expected_ms(num_rows); }

 private:
  StepCosts m_costs;
  DraftBudget m_budget;
  double m_guessing_ms = 0.0;
  int m_num_decodes = 1;  ///< Rows of the noted step that are no drafts.
};

}  // namespace quire
