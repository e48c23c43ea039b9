#pragma once

#include <bitset>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/tokenizer/tokenizer.h"
#include "engine/tokenizer/vocabulary_limits.h"

namespace quire {

/// Finds special tokens in text that a template wrote: the leftmost, and of several that begin at
/// the same place the longest. Looks up each length that special tokens have.
/// Thread: one at a time. The tokenizer must outlive it.
class SpecialFinder {
 public:
  explicit SpecialFinder(const Tokenizer& tokenizer) : m_tokenizer(tokenizer) {
    for (const std::string& content : tokenizer.special_tokens()) {  // The longest first.
      m_first.set(static_cast<uint8_t>(content[0]));
      if (!m_lengths.empty() && m_lengths.back() == content.size()) continue;
      m_lengths.push_back(content.size());
    }
  }

  struct Match {
    TokenId id = -1;
    size_t begin = 0;
    size_t length = 0;

    size_t end() const { return begin + length; }
  };
  /// The first special token at or after `from`. Nothing also once the budget is spent.
  std::optional<Match> find(std::string_view text, size_t from, WorkBudget& budget) const {
    for (size_t i = from; i < text.size(); ++i) {
      if (!m_first[static_cast<uint8_t>(text[i])]) continue;
      for (const size_t length : m_lengths) {
        if (length > text.size() - i) continue;
        if (!budget.spend(1 + length / kBytesPerStep)) return std::nullopt;
        const auto id = m_tokenizer.special_token(text.substr(i, length));
        if (id && m_tokenizer.is_special(*id)) return Match{*id, i, length};
      }
    }
    return std::nullopt;
  }

 private:
  const Tokenizer& m_tokenizer;
  std::bitset<256> m_first;       ///< Bytes that special tokens begin with.
  std::vector<size_t> m_lengths;  ///< Of special tokens, descending, each once.
};

}  // namespace quire
