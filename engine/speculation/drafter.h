#pragma once

#include <map>
#include <span>
#include <vector>

#include "engine/scheduler/sequence.h"
#include "engine/speculation/ngram_index.h"

namespace quire {

/// A source of guesses of what sequences say next. Thread: the engine's.
class Drafter {
 public:
  struct Guess {
    std::vector<TokenId> tokens;
    int match = 0;  ///< The number of tokens that it was made from: more make it likelier.
  };
  virtual ~Drafter() = default;
  /// At most `most` tokens that may follow `tokens`, all that the sequence holds; from call to call
  /// these only grow.
  virtual Guess guess(SequenceId id, std::span<const TokenId> tokens, int most) = 0;
  virtual void forget(SequenceId id) = 0;
};

/// Guesses that a text goes on as it did where its end stood before ("prompt lookup").
class NGramDrafter final : public Drafter {
 public:
  Guess guess(SequenceId id, std::span<const TokenId> tokens, int most) override {
    NGramIndex& index = m_indices[id];
    index.append(tokens.subspan(index.tokens().size()));
    const NGramIndex::Match match = index.find_end();
    return {index.following(match, most), match.length};
  }
  void forget(SequenceId id) override { m_indices.erase(id); }

 private:
  std::map<SequenceId, NGramIndex> m_indices;
};

}  // namespace quire
