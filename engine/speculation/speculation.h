#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "engine/scheduler/scheduler.h"
#include "engine/speculation/draft_planner.h"
#include "engine/speculation/drafter.h"
#include "engine/speculation/speculation_mode.h"

namespace quire {

/// Has drafters guess the next tokens of sequences, and decides how many of these each step
/// computes. Thread: the engine's.
class Speculation {
 public:
  /// `drafter`: null for the n-gram drafter alone; one that is free replaces it, another is asked
  /// where its guesses were right more often.
  Speculation(SpeculationMode mode, std::shared_ptr<Drafter> drafter);

  bool is_forced() const { return m_mode == SpeculationMode::kAlways; }
  bool is_automatic() const { return m_mode == SpeculationMode::kAuto; }
  /// Takes effect with the next step.
  void set_mode(SpeculationMode mode) { m_mode = mode; }
  void set_drafter(std::shared_ptr<Drafter> drafter);
  /// Says how many tokens in a row the served model's own draft layers guess; 0: it has no such
  /// layers. They guess only after a step is planned, and only if no draft model is set.
  void set_own_guesses(int most) { m_own_guesses = most; }
  /// Whether the drafts that propose() set for the sequence are placeholders, which the model's own
  /// draft layers replace.
  bool awaits_guess(SequenceId id) const;
  /// Records what these layers guessed for the sequence, for judge().
  void note_guess(SequenceId id, std::span<const TokenId> drafts);
  /// Records how long guessing `num_tokens` tokens for the next step took.
  void note_guessing(size_t num_tokens, double milliseconds);

  /// Sets the drafts of all sequences that decode, for the next step; none beside prefills and
  /// while others wait. Where a focused chat decodes, those of low priority have no drafts, and do
  /// not keep chats from having some. `describe` fills in a sequence's `most` (how many tokens it
  /// may still have beyond the next one), `sampling`, `answered` and `owner`.
  void propose(const Scheduler& scheduler, const std::function<void(DraftRequest&)>& describe);
  /// The tokens that a step sampled for a sequence: its guess was right as far as they agree.
  void judge(SequenceId id, std::span<const TokenId> sampled);
  void forget(SequenceId id);
  /// Keeps the new part of a sequence that ended, so that later sequences of its owner are guessed
  /// from it.
  void keep(const TextOwner& owner, std::span<const TokenId> tokens);
  /// Removes the texts of a chat, so that no more guesses are made from them.
  void forget_chat(int64_t chat);
  /// Records the time of a step that consisted of decodes and their drafts only. num_rows: all
  /// rows, the `num_drafts` drafts included.
  void note_step(int num_rows, double milliseconds, int num_drafts) {
    m_planner.note_step(num_rows, milliseconds, num_drafts);
  }

 private:
  /// The last guess of a sequence from one source of text, and how often earlier ones were right.
  /// It is judged even if it was not computed.
  struct TextGuess {
    DraftRecord record;
    std::vector<TokenId> tokens = {};
    int match = 0;

    double chance() const { return tokens.empty() ? 0.0 : record.chance(match); }
    std::vector<double> chances() const;
    void judge(std::span<const TokenId> sampled);
  };
  struct Guessed {
    explicit Guessed(double chance) : of_model(chance) {}
    TextGuess own;     ///< From the sequence's own tokens.
    TextGuess others;  ///< From its owner's earlier texts.
    ModelRecord of_model;
    bool asks_model = false;           ///< Whether the draft model or layers guess in this step.
    std::vector<TokenId> tokens = {};  ///< What the model guessed.
    size_t num_read = 0;               ///< Tokens of it that the draft model has read.
  };
  using Requests = std::vector<DraftRequest>;
  std::vector<DraftPlanner::Candidate> weigh(Requests& requests,
                                             const std::vector<Sequence*>& sequences);
  DraftPlanner::Candidate choose_source(DraftRequest& request, Guessed& guessed) const;
  double model_worth(const Guessed& guessed) const;
  bool note_read(const Requests& asked);
  void ask_model(Requests& requests, const std::vector<int>& counts);
  bool has_model() const { return m_model || m_own_guesses > 0; }

  SpeculationMode m_mode;
  std::shared_ptr<Drafter> m_ngrams = std::make_shared<NGramDrafter>();
  std::shared_ptr<Drafter> m_text;   ///< Free.
  std::shared_ptr<Drafter> m_model;  ///< Null, or not free.
  int m_own_guesses = 0;             ///< As set_own_guesses().
  DraftPlanner m_planner;
  double m_ms_per_draft = 0.0;        ///< Of the model; a running mean.
  bool m_own_layers_are_cold = true;  ///< They have made no guess yet.
  LearntChance m_learnt;              ///< Of the model's guesses for all sequences.
  std::map<SequenceId, Guessed> m_guessed;
};

}  // namespace quire
