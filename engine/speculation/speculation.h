#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>

#include "engine/scheduler/scheduler.h"
#include "engine/speculation/draft_planner.h"
#include "engine/speculation/drafter.h"

namespace quire {

/// Has a drafter guess the next tokens of sequences, and decides how many of these each step
/// computes. Thread: the engine's.
class Speculation {
 public:
  /// `drafter`: null for the n-gram drafter.
  Speculation(SpeculationMode mode, std::shared_ptr<Drafter> drafter);

  /// Sets the drafts of all sequences that decode, for the next step; none beside prefills and
  /// while others wait. `most_for`: how many tokens a sequence may still have beyond the next one.
  void propose(const Scheduler& scheduler, const std::function<int(SequenceId)>& most_for);
  /// The tokens that a step sampled for a sequence: its guess was right as far as they agree.
  void judge(SequenceId id, std::span<const TokenId> sampled);
  void forget(SequenceId id);
  /// A step of nothing but decodes and their drafts took so long.
  void note_step(int num_rows, double milliseconds) { m_planner.note_step(num_rows, milliseconds); }

 private:
  struct Guessed {
    DraftRecord record;
    Drafter::Guess last;
  };

  SpeculationMode m_mode;
  std::shared_ptr<Drafter> m_drafter;
  DraftPlanner m_planner;
  std::map<SequenceId, Guessed> m_guessed;
};

}  // namespace quire
