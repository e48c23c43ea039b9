#pragma once

#include <map>
#include <span>
#include <vector>

#include "engine/sampling/sampling_params.h"
#include "engine/scheduler/sequence.h"
#include "engine/speculation/ngram_index.h"
#include "engine/speculation/persona_texts.h"

namespace quire {

/// What one sequence is expected to say next.
struct DraftRequest {
  SequenceId id = 0;
  std::span<const TokenId> tokens;  ///< All that it holds; from call to call these only grow.
  int most = 0;                     ///< Tokens that are wanted, at most.
  const SamplingParams* sampling = nullptr;
  int vocab_size = 0;  ///< Of the model; a guess ends before an id outside it.
  int answered = 0;    ///< The number of `tokens` at the end that are its answer so far.
  // What the drafter returns.
  std::vector<TokenId> guess = {};
  int match = 0;  ///< The number of equal tokens that it was made from.

  TextOwner owner = {};  ///< Whose earlier texts may be used as well.
  /// Also returned: a second guess, from these texts, and its match.
  std::vector<TokenId> other_guess = {};
  int other_match = 0;
};

/// A source of guesses of what sequences say next. Thread: the engine's.
class Drafter {
 public:
  virtual ~Drafter() = default;
  /// Whether a guess takes next to no time: such drafters are asked in every step.
  virtual bool is_free() const = 0;
  /// Sets the guesses of all requests.
  virtual void guess(std::span<DraftRequest> requests) = 0;
  virtual void forget(SequenceId id) = 0;
  /// Adds the new part of a sequence that ended to its owner's texts.
  virtual void keep(const TextOwner& /*owner*/, std::span<const TokenId> /*tokens*/) {}
  /// Removes the texts of a chat.
  virtual void forget_chat(int64_t /*chat*/) {}
};

/// Prompt lookup: finds where the end of a text occurred before, in the text itself and in earlier
/// texts of its persona, and guesses the tokens that followed it there.
class NGramDrafter final : public Drafter {
 public:
  bool is_free() const override { return true; }
  void guess(std::span<DraftRequest> requests) override {
    for (DraftRequest& request : requests) {
      NGramIndex& index = m_indices[request.id];
      index.append(request.tokens.subspan(index.tokens().size()));
      const NGramIndex::Match match = index.find_end();
      request.guess = index.following(match, request.most);
      request.match = match.length;
      if (const TextWindow* others = m_texts.find(request.owner)) {
        const TextWindow::Match other = others->find_end(request.tokens);
        request.other_guess = others->following(other, request.most);
        request.other_match = other.length;
      }
    }
  }
  void forget(SequenceId id) override { m_indices.erase(id); }
  void keep(const TextOwner& owner, std::span<const TokenId> tokens) override {
    m_texts.add(owner, tokens);
  }
  void forget_chat(int64_t chat) override { m_texts.forget(chat); }

 private:
  std::map<SequenceId, NGramIndex> m_indices;
  PersonaTexts m_texts;
};

}  // namespace quire
