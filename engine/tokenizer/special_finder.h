#pragma once

#include <bitset>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/tokenizer/tokenizer.h"

namespace quire {

/// Finds special tokens in text that a template wrote: the leftmost, and where several begin, the
/// longest. A step costs a look-up for each length that special tokens have.
/// Thread: one at a time. The tokenizer must outlive it.
class SpecialFinder {
 public:
  explicit SpecialFinder(const Tokenizer& tokenizer);

  struct Match {
    TokenId id = -1;
    size_t begin = 0;
    size_t length = 0;

    size_t end() const { return begin + length; }
  };
  /// The first special token at or after `from`.
  std::optional<Match> find(std::string_view text, size_t from) const;

 private:
  const Tokenizer& m_tokenizer;
  std::bitset<256> m_first;       ///< Bytes that special tokens begin with.
  std::vector<size_t> m_lengths;  ///< Of special tokens, descending, each once.
};

}  // namespace quire
