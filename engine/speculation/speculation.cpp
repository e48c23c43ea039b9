#include "engine/speculation/speculation.h"

#include <algorithm>
#include <utility>

namespace quire {
namespace {

bool decodes(const Sequence& sequence) {
  return sequence.table.num_uncomputed() == 1;
}

bool all_decode(const Scheduler& scheduler) {
  return scheduler.waiting().empty() &&
         std::ranges::all_of(scheduler.running(),
                             [](const auto& sequence) { return decodes(*sequence); });
}

}  // namespace

Speculation::Speculation(SpeculationMode mode, std::shared_ptr<Drafter> drafter)
    : m_mode(mode), m_drafter(drafter ? std::move(drafter) : std::make_shared<NGramDrafter>()) {}

void Speculation::propose(const Scheduler& scheduler,
                          const std::function<int(SequenceId)>& most_for) {
  for (const auto& sequence : scheduler.waiting()) sequence->drafts.clear();
  for (const auto& sequence : scheduler.running()) sequence->drafts.clear();
  const bool is_forced = m_mode == SpeculationMode::kAlways;
  if (m_mode == SpeculationMode::kOff || (!is_forced && !all_decode(scheduler))) return;
  std::vector<Sequence*> sequences;
  std::vector<DraftPlanner::Candidate> candidates;
  for (const auto& sequence : scheduler.running()) {
    if (!decodes(*sequence)) continue;
    Guessed& guessed = m_guessed[sequence->id];
    const int most = std::clamp(most_for(sequence->id), 0, DraftPlanner::kMaxDrafts);
    guessed.last = m_drafter->guess(sequence->id, sequence->table.tokens(), most);
    candidates.push_back({.chance = guessed.record.chance(guessed.last.match),
                          .most = static_cast<int>(guessed.last.tokens.size()),
                          .focused = sequence->focused});
    sequences.push_back(sequence.get());
  }
  if (sequences.empty()) return;
  const int num_rows = std::min(static_cast<int>(sequences.size()), DraftPlanner::kMaxRows);
  const std::vector<int> counts = m_planner.plan(candidates, num_rows);
  for (size_t i = 0; i < sequences.size(); ++i) {
    const std::vector<TokenId>& guess = m_guessed[sequences[i]->id].last.tokens;
    sequences[i]->drafts.assign(guess.begin(), is_forced ? guess.end() : guess.begin() + counts[i]);
  }
}

void Speculation::judge(SequenceId id, std::span<const TokenId> sampled) {
  const auto it = m_guessed.find(id);
  if (it == m_guessed.end()) return;
  auto& [record, last] = it->second;
  for (size_t i = 0; i < std::min(sampled.size(), last.tokens.size()); ++i) {
    const bool is_right = last.tokens[i] == sampled[i];
    record.note(last.match, is_right);
    if (!is_right) break;
  }
  last.tokens.clear();
}

void Speculation::forget(SequenceId id) {
  m_guessed.erase(id);
  m_drafter->forget(id);
}

}  // namespace quire
