#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "engine/scheduler/scheduler.h"
#include "engine/speculation/speculation.h"

namespace quire {

/// Chats that decode on a simulated machine, whose steps take a time that is a function of their
/// rows, so that the gains and losses of speculation are the same in every run.
class DraftSimulation {
 public:
  struct Machine {
    double (*cost)(int num_rows) = nullptr;  ///< Milliseconds of a step.
    /// By what factor other programs lengthen a step that begins at `now`, in ms; null: by none.
    double (*disturbance)(double now) = nullptr;
  };
  /// The next kMaxDrafts + 1 tokens of a chat.
  using Speaker = std::function<std::vector<TokenId>(size_t chat, const Sequence& sequence)>;

  /// The served model's own draft layers.
  struct OwnLayers {
    double ms_per_guess = 0.0;
    double chance = 0.0;        ///< That a guess is right.
    int tokens_per_answer = 0;  ///< A new answer begins after so many; 0: never.
  };

  DraftSimulation(SpeculationMode mode, Machine machine, Speaker speaker, int num_chats)
      : m_machine(machine),
        m_speaker(std::move(speaker)),
        m_num_chats(num_chats),
        m_cache(num_chats * 400),
        m_scheduler(m_cache, {.max_sequences = num_chats}),
        m_speculation(mode, nullptr) {
    for (int i = 0; i < num_chats; ++i) add_sequence();
  }

  void use(const OwnLayers& layers) {
    m_own_layers = layers;
    m_speculation.set_own_guesses(kMaxDrafts);
  }

  /// Runs until the chats have tokens_per_chat tokens on average, and returns the milliseconds that
  /// this many take. The time of other programs is left out, because they do not slow the same
  /// steps in two runs.
  double run(int tokens_per_chat) {
    while (m_num_tokens < tokens_per_chat * m_num_chats) step();
    return m_own_ms / m_num_tokens * m_num_chats * tokens_per_chat;
  }

  int num_drafted() const { return m_num_drafted; }
  int num_accepted() const { return m_num_accepted; }

 private:
  void add_sequence() {
    const int i = m_num_sequences++;
    const std::vector<int32_t> prompt = {i, i + 1, 3};
    m_scheduler.add(std::make_unique<Sequence>(i + 1, root_key("simulation"), prompt));
  }

  /// Fills in the guesses of the own layers. Returns the milliseconds that they take.
  double fill_own(const StepPlan& plan) {
    size_t num_guesses = 0;
    for (const ScheduledRows& rows : plan.rows) {
      if (rows.num_drafts == 0 || !m_speculation.awaits_guess(rows.sequence->id)) continue;
      Sequence& sequence = *rows.sequence;
      const auto next = m_speaker(static_cast<size_t>(sequence.id - 1), sequence);
      const auto count = static_cast<size_t>(rows.num_drafts);
      for (size_t i = 0; i < count; ++i) {
        const bool is_right = m_random() < m_own_layers.chance * double(std::mt19937::max());
        sequence.drafts[i] = is_right ? next[i] : next[i] + 1;
      }
      m_speculation.note_guess(sequence.id, rows.drafts());
      num_guesses += count;
    }
    const double ms = m_own_layers.ms_per_guess * static_cast<double>(num_guesses);
    if (num_guesses > 0) m_speculation.note_guessing(num_guesses, ms);
    return ms;
  }

  /// Ends the answers that are long enough, and begins others.
  void end_answers() {
    if (m_own_layers.tokens_per_answer == 0) return;
    std::vector<SequenceId> ended;
    for (const auto& sequence : m_scheduler.running()) {
      const int length = static_cast<int>(sequence->table.tokens().size()) - 3;
      if (length >= m_own_layers.tokens_per_answer) ended.push_back(sequence->id);
    }
    for (const SequenceId id : ended) {
      m_speculation.forget(id);
      m_scheduler.remove(id);
      add_sequence();
    }
  }

  void step() {
    m_speculation.propose(m_scheduler, [](DraftRequest& request) {
      request.most = kMaxDrafts;
      request.vocab_size = 1'000'000;
    });
    const StepPlan plan = m_scheduler.schedule();
    for (const ScheduledRows& rows : plan.rows) m_scheduler.mark_computed(rows);
    m_own_ms += fill_own(plan);
    const int num_drafts = plan.num_tokens - static_cast<int>(plan.rows.size());
    if (std::ranges::all_of(plan.rows, [](const auto& rows) { return rows.begin > 0; })) {
      const double own = m_machine.cost(plan.num_tokens);
      const double took = m_machine.disturbance ? own * m_machine.disturbance(m_now) : own;
      m_now += took;
      m_own_ms += own;
      m_num_drafted += num_drafts;
      m_speculation.note_step(plan.num_tokens, took, num_drafts);
    }
    for (const ScheduledRows& rows : plan.rows) advance(rows);
    end_answers();
  }

  void advance(const ScheduledRows& rows) {
    Sequence& sequence = *rows.sequence;
    const std::vector<TokenId> next = m_speaker(static_cast<size_t>(sequence.id - 1), sequence);
    std::vector<TokenId> sampled;
    for (size_t accepted = 0;; ++accepted) {
      sampled.push_back(next[accepted]);
      sequence.table.append(next[accepted]);
      if (static_cast<int>(accepted) == rows.num_drafts ||
          rows.drafts()[accepted] != next[accepted]) {
        break;
      }
      m_scheduler.accept_draft(sequence);
    }
    m_scheduler.drop_drafts(sequence);
    m_speculation.judge(sequence.id, sampled);
    if (rows.begin == 0) return;
    m_num_tokens += static_cast<int>(sampled.size());
    m_num_accepted += static_cast<int>(sampled.size()) - 1;
  }

  Machine m_machine;
  Speaker m_speaker;
  int m_num_chats;
  OwnLayers m_own_layers;
  std::mt19937 m_random{20261126};
  int m_num_sequences = 0;  ///< That were added so far.
  BlockCache m_cache;
  Scheduler m_scheduler;
  Speculation m_speculation;
  double m_now = 0.0;
  double m_own_ms = 0.0;
  int m_num_tokens = 0;
  int m_num_drafted = 0;
  int m_num_accepted = 0;
};

}  // namespace quire
