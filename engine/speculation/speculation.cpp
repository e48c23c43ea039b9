#include "engine/speculation/speculation.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

namespace quire {
namespace {

/// The part of a new measurement in a running mean.
constexpr double kNewTime = 0.2;

bool decodes(const Sequence& sequence) {
  return sequence.table.num_uncomputed() == 1;
}

bool all_decode(const Scheduler& scheduler) {
  return scheduler.waiting().empty() &&
         std::ranges::all_of(scheduler.running(),
                             [](const auto& sequence) { return decodes(*sequence); });
}

/// A draft model may have more tokens than the model, which has no embeddings for them.
std::vector<TokenId> known_tokens(std::vector<TokenId> guess, int vocab_size) {
  const auto is_unknown = [&](TokenId id) { return id < 0 || id >= vocab_size; };
  guess.erase(std::ranges::find_if(guess, is_unknown), guess.end());
  return guess;
}

}  // namespace

Speculation::Speculation(SpeculationMode mode, std::shared_ptr<Drafter> drafter) : m_mode(mode) {
  set_drafter(std::move(drafter));
}

void Speculation::set_drafter(std::shared_ptr<Drafter> drafter) {
  m_ms_per_draft = 0.0;
  const bool replaces = drafter && drafter->is_free();
  m_text = replaces ? drafter : std::make_shared<NGramDrafter>();
  m_model = replaces ? nullptr : std::move(drafter);
}

void Speculation::propose(const Scheduler& scheduler,
                          const std::function<void(DraftRequest&)>& describe) {
  for (const auto& sequence : scheduler.waiting()) sequence->drafts.clear();
  for (const auto& sequence : scheduler.running()) sequence->drafts.clear();
  if (m_mode == SpeculationMode::kOff || (!is_forced() && !all_decode(scheduler))) return;
  Requests requests;
  std::vector<Sequence*> sequences;
  for (const auto& sequence : scheduler.running()) {
    if (!decodes(*sequence)) continue;
    DraftRequest& request = requests.emplace_back();
    request.id = sequence->id;
    request.tokens = sequence->table.tokens();
    describe(request);
    request.most = std::clamp(request.most, 0, kMaxDrafts);
    sequences.push_back(sequence.get());
  }
  if (requests.empty()) return;
  m_text->guess(requests);
  const auto candidates = weigh(requests, sequences);
  std::vector<int> counts(requests.size());
  std::ranges::transform(candidates, counts.begin(), &DraftPlanner::Candidate::most);
  const int num_rows = std::min(static_cast<int>(requests.size()), DraftPlanner::kMaxRows);
  if (!is_forced()) counts = m_planner.plan(candidates, num_rows);
  ask_model(requests, counts);
  for (size_t i = 0; i < requests.size(); ++i) {
    Guessed& guessed = m_guessed[requests[i].id];
    guessed.tokens = known_tokens(std::move(requests[i].guess), requests[i].vocab_size);
    guessed.match = requests[i].match;
    const auto count = std::min<std::ptrdiff_t>(counts[i], std::ssize(guessed.tokens));
    sequences[i]->drafts.assign(guessed.tokens.begin(), guessed.tokens.begin() + count);
    if (awaits_guess(requests[i].id)) guessed.tokens.clear();  // Not to be judged.
  }
}

bool Speculation::awaits_guess(SequenceId id) const {
  const auto it = m_guessed.find(id);
  return !m_model && it != m_guessed.end() && it->second.is_models;
}

void Speculation::note_guess(SequenceId id, std::span<const TokenId> drafts) {
  m_guessed[id].tokens.assign(drafts.begin(), drafts.end());
}

/// Chooses for each sequence whose guess is likelier to be right: the text's or the model's.
std::vector<DraftPlanner::Candidate> Speculation::weigh(const Requests& requests,
                                                        const std::vector<Sequence*>& sequences) {
  std::vector<DraftPlanner::Candidate> candidates;
  for (size_t i = 0; i < requests.size(); ++i) {
    Guessed& guessed = m_guessed[requests[i].id];
    const bool has_text = !requests[i].guess.empty();
    const double of_text = has_text ? guessed.of_text.chance(requests[i].match) : 0.0;
    guessed.is_models = has_model() && guessed.of_model.chance() > of_text;
    const int most = m_model ? requests[i].most : std::min(requests[i].most, m_own_guesses);
    candidates.push_back(
        {.chance = guessed.is_models ? guessed.of_model.chance() : of_text,
         .most = guessed.is_models ? most : static_cast<int>(requests[i].guess.size()),
         .focused = sequences[i]->focused,
         .ms_per_draft = guessed.is_models ? m_ms_per_draft : 0.0});
  }
  return candidates;
}

/// Replaces the guesses of those that the model guesses for.
void Speculation::ask_model(Requests& requests, const std::vector<int>& counts) {
  Requests asked;
  std::vector<size_t> places;
  for (size_t i = 0; i < requests.size(); ++i) {
    if (!m_guessed[requests[i].id].is_models) continue;
    requests[i].guess.clear();
    if (!m_model) requests[i].guess.assign(static_cast<size_t>(counts[i]), 0);  // Placeholders.
    if (counts[i] == 0 || !m_model) continue;
    asked.push_back(requests[i]);
    asked.back().most = counts[i];
    places.push_back(i);
  }
  if (asked.empty()) return;
  const auto began = std::chrono::steady_clock::now();
  m_model->guess(asked);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
  size_t num_tokens = 0;
  for (size_t i = 0; i < asked.size(); ++i) {
    num_tokens += asked[i].guess.size();
    requests[places[i]].guess = std::move(asked[i].guess);
  }
  note_guessing(num_tokens, took.count());
}

void Speculation::note_guessing(size_t num_tokens, double milliseconds) {
  if (num_tokens == 0) return;
  const double each = milliseconds / static_cast<double>(num_tokens);
  m_ms_per_draft =
      m_ms_per_draft == 0.0 ? each : m_ms_per_draft + kNewTime * (each - m_ms_per_draft);
}

void Speculation::judge(SequenceId id, std::span<const TokenId> sampled) {
  const auto it = m_guessed.find(id);
  if (it == m_guessed.end()) return;
  Guessed& guessed = it->second;
  guessed.of_model.pass();
  for (size_t i = 0; i < std::min(sampled.size(), guessed.tokens.size()); ++i) {
    const bool is_right = guessed.tokens[i] == sampled[i];
    if (guessed.is_models) {
      guessed.of_model.note(is_right);
    } else {
      guessed.of_text.note(guessed.match, is_right);
    }
    if (!is_right) break;
  }
  guessed.tokens.clear();
}

void Speculation::forget(SequenceId id) {
  m_guessed.erase(id);
  m_text->forget(id);
  if (m_model) m_model->forget(id);
}

}  // namespace quire
