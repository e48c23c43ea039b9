#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "engine/tokenizer/string_index.h"
#include "engine/tokenizer/vocabulary_limits.h"
#include "kernels/base/work_budget.h"

namespace quire {

/// Finds the pairs of tokens that form a token, within kMaxPairSteps for a vocabulary.
/// Thread: one at a time. The words must outlive it.
class BpePairs {
 public:
  struct Pair {
    TokenId left = -1;
    TokenId right = -1;
  };
  enum class Cuts { kBetweenCharacters, kBetweenBytes };

  BpePairs(const StringIndex& words, Cuts cuts) : m_words(words), m_cuts(cuts) {}

  /// The pairs that form `text`, the shortest left token first. Valid until the next call. Some may
  /// be missing once the budget is spent.
  std::span<const Pair> of(std::string_view text);
  const WorkBudget& budget() const { return m_budget; }

 private:
  size_t next_cut(std::string_view text, size_t i) const;

  const StringIndex& m_words;
  Cuts m_cuts;
  WorkBudget m_budget{{.steps = kMaxPairSteps}};
  std::vector<std::string_view> m_parts;
  std::vector<TokenId> m_ids;
  std::vector<Pair> m_pairs;
};

}  // namespace quire
