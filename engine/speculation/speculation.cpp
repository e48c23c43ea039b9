#include "engine/speculation/speculation.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

namespace quire {
namespace {

/// The part of a new measurement in a running mean.
constexpr double kNewTime = 0.2;
/// The factor by which the expected time of a model's guess shrinks in each step in which no model
/// is asked. A time that was measured too high by chance is thus measured again.
constexpr double kKeptTime = 0.98;

/// Whether the sequence can have drafts in the next step. Where a focused chat decodes, those of
/// low priority have none: their rows are limited.
bool may_draft(const Scheduler& scheduler, const Sequence& sequence) {
  return Scheduler::decodes(sequence) &&
         !(scheduler.is_focused_decoding() && Scheduler::is_low(sequence));
}

/// Whether nothing but decodes is computed; what is of low priority does not count beside a focused
/// chat, which is to be as fast as alone.
bool all_decode(const Scheduler& scheduler) {
  const bool is_focused = scheduler.is_focused_decoding();
  const auto counts = [&](const auto& sequence) {
    return !(is_focused && Scheduler::is_low(*sequence));
  };
  return std::ranges::none_of(scheduler.waiting(), counts) &&
         std::ranges::all_of(scheduler.running(), [&](const auto& sequence) {
           return Scheduler::decodes(*sequence) || !counts(sequence);
         });
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
  m_learnt = {};
  const bool replaces = drafter && drafter->is_free();
  m_text = replaces ? drafter : m_ngrams;
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
    if (!may_draft(scheduler, *sequence)) continue;
    DraftRequest& request = requests.emplace_back();
    request.id = sequence->id;
    request.tokens = sequence->table.tokens();
    request.owner.chat = sequence->table.owner().chat;
    describe(request);
    request.most = std::clamp(request.most, 0, kMaxDrafts);
    sequences.push_back(sequence.get());
  }
  if (requests.empty()) return;
  m_text->guess(requests);
  m_learnt.pass();
  const auto candidates = weigh(requests, sequences);
  std::vector<int> counts(requests.size());
  std::ranges::transform(candidates, counts.begin(), &DraftPlanner::Candidate::most);
  const int num_rows = std::min(static_cast<int>(requests.size()), DraftPlanner::kMaxRows);
  if (!is_forced()) counts = m_planner.plan(candidates, num_rows);
  ask_model(requests, counts);
  for (size_t i = 0; i < requests.size(); ++i) {
    Guessed& guessed = m_guessed.at(requests[i].id);
    std::vector<TokenId> guess = known_tokens(std::move(requests[i].guess), requests[i].vocab_size);
    const auto count = std::min<std::ptrdiff_t>(counts[i], std::ssize(guess));
    sequences[i]->drafts.assign(guess.begin(), guess.begin() + count);
    if (m_model && guessed.asks_model) guessed.tokens = std::move(guess);
  }
}

bool Speculation::awaits_guess(SequenceId id) const {
  const auto it = m_guessed.find(id);
  return !m_model && it != m_guessed.end() && it->second.asks_model;
}

void Speculation::note_guess(SequenceId id, std::span<const TokenId> drafts) {
  m_guessed.at(id).tokens.assign(drafts.begin(), drafts.end());
}

std::vector<DraftPlanner::Candidate> Speculation::weigh(Requests& requests,
                                                        const std::vector<Sequence*>& sequences) {
  std::vector<DraftPlanner::Candidate> candidates;
  for (size_t i = 0; i < requests.size(); ++i) {
    const auto guessed = m_guessed.try_emplace(requests[i].id, m_learnt.chance()).first;
    candidates.push_back(choose_source(requests[i], guessed->second));
    candidates.back().focused = sequences[i]->is_focused();
    candidates.back().is_low = Scheduler::is_low(*sequences[i]);
  }
  return candidates;
}

/// Chooses the source whose guess for a sequence is the likeliest to be right: its own text, other
/// texts, or the model. Texts with the same chance are compared by the length of their match.
/// Leaves the chosen text's guess in the request.
DraftPlanner::Candidate Speculation::choose_source(DraftRequest& request, Guessed& guessed) const {
  guessed.own.tokens = request.guess;
  guessed.own.match = request.match;
  guessed.others.tokens = request.other_guess;
  guessed.others.match = request.other_match;
  const auto worth = [](const TextGuess& guess) {
    return std::pair(guess.chance(), guess.tokens.empty() ? 0 : guess.match);
  };
  const bool is_others = worth(guessed.others) > worth(guessed.own);
  const TextGuess& text = is_others ? guessed.others : guessed.own;
  if (is_others) {
    request.guess = std::move(request.other_guess);
    request.match = request.other_match;
  }
  guessed.asks_model = has_model() && model_worth(guessed) > text.chance();
  if (guessed.asks_model) {
    const int most = m_model ? request.most : std::min(request.most, m_own_guesses);
    return {.chance = guessed.of_model.chance(), .most = most, .ms_per_draft = m_ms_per_draft};
  }
  return {.chance = text.chance(),
          .most = static_cast<int>(text.tokens.size()),
          .chances = text.chances()};
}

/// The chance of a model's guess, less the part of a step that it takes to make: comparable with
/// the chance of a guess from text, which takes nothing.
double Speculation::model_worth(const Guessed& guessed) const {
  const double step_ms = is_forced() ? 0.0 : m_planner.expected_ms(1);
  const double cost = step_ms > 0.0 ? m_ms_per_draft / step_ms : 0.0;
  return guessed.of_model.chance() - cost;
}

/// Replaces the guesses of the sequences for which the model guesses: by the draft model's, or by
/// placeholders for the model's own draft layers.
void Speculation::ask_model(Requests& requests, const std::vector<int>& counts) {
  Requests asked;
  std::vector<size_t> places;
  bool is_asked = false;
  for (size_t i = 0; i < requests.size(); ++i) {
    if (!m_guessed.at(requests[i].id).asks_model) continue;
    requests[i].guess.clear();
    is_asked |= counts[i] > 0;
    if (!m_model) requests[i].guess.assign(static_cast<size_t>(counts[i]), 0);
    if (counts[i] == 0 || !m_model) continue;
    asked.push_back(requests[i]);
    asked.back().most = counts[i];
    places.push_back(i);
  }
  if (!is_asked) m_ms_per_draft *= kKeptTime;
  if (asked.empty()) return;
  const bool reads_texts = note_read(asked);
  const auto began = std::chrono::steady_clock::now();
  m_model->guess(asked);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
  size_t num_tokens = 0;
  for (size_t i = 0; i < asked.size(); ++i) {
    num_tokens += asked[i].guess.size();
    requests[places[i]].guess = std::move(asked[i].guess);
  }
  if (!reads_texts) note_guessing(num_tokens, took.count());
}

/// Records how many tokens of these sequences the draft model has read. Returns whether it first
/// has much of one to read, such as the prompt before its first guess: that time is not part of the
/// cost of a guess.
bool Speculation::note_read(const Requests& asked) {
  bool reads_texts = false;
  for (const DraftRequest& request : asked) {
    size_t& read = m_guessed.at(request.id).num_read;
    reads_texts |= read == 0 || request.tokens.size() > read + kMaxDrafts + 1;
    read = request.tokens.size();
  }
  return reads_texts;
}

void Speculation::note_guessing(size_t num_tokens, double milliseconds) {
  m_planner.note_guessing(milliseconds);
  if (num_tokens == 0) return;
  // The first guess of the model's own layers reads weights that no step has touched.
  if (!m_model && std::exchange(m_own_layers_are_cold, false)) return;
  const double each = milliseconds / static_cast<double>(num_tokens);
  m_ms_per_draft =
      m_ms_per_draft == 0.0 ? each : m_ms_per_draft + kNewTime * (each - m_ms_per_draft);
}

void Speculation::judge(SequenceId id, std::span<const TokenId> sampled) {
  const auto it = m_guessed.find(id);
  if (it == m_guessed.end()) return;
  Guessed& guessed = it->second;
  if (sampled.size() > 1) m_planner.note_accepted(static_cast<int>(sampled.size()) - 1);
  guessed.own.judge(sampled);
  guessed.others.judge(sampled);
  guessed.of_model.pass();
  const size_t count = std::min(sampled.size(), guessed.tokens.size());
  for (size_t i = 0; i < count; ++i) {
    const bool is_right = guessed.tokens[i] == sampled[i];
    guessed.of_model.note(is_right);
    m_learnt.note(is_right);
    if (!is_right) break;
  }
  guessed.tokens.clear();
}

/// A right token makes the match one token longer for the next one.
void Speculation::TextGuess::judge(std::span<const TokenId> sampled) {
  const size_t count = std::min(sampled.size(), tokens.size());
  for (size_t i = 0; i < count; ++i) {
    const bool is_right = tokens[i] == sampled[i];
    record.note(match + static_cast<int>(i), is_right);
    if (!is_right) break;
  }
  tokens.clear();
}

std::vector<double> Speculation::TextGuess::chances() const {
  std::vector<double> chances;
  for (size_t i = 0; i < tokens.size(); ++i) {
    chances.push_back(record.chance(match + static_cast<int>(i)));
  }
  return chances;
}

void Speculation::forget(SequenceId id) {
  m_guessed.erase(id);
  m_text->forget(id);
  if (m_text != m_ngrams) m_ngrams->forget(id);
  if (m_model) m_model->forget(id);
}

void Speculation::keep(const TextOwner& owner, std::span<const TokenId> tokens) {
  if (m_mode != SpeculationMode::kOff) m_text->keep(owner, tokens);
}

void Speculation::forget_chat(int64_t chat) {
  m_text->forget_chat(chat);
  if (m_text != m_ngrams) m_ngrams->forget_chat(chat);
}

}  // namespace quire
