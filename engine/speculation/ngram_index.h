#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/tokenizer/tokenizer.h"

namespace quire {

/// A growing text of tokens, and where each pair of them stood before: finds the longest earlier
/// occurrence of the text's end. As in LZ77 compressors, places with the same hash are chained from
/// the last to the first, and few of a chain are looked at. Time: a constant a token.
/// Thread: one at a time.
class NGramIndex {
 public:
  void append(std::span<const TokenId> tokens);
  std::span<const TokenId> tokens() const { return m_tokens; }

  struct Match {
    int length = 0;  ///< Tokens that are equal, at least kLeastMatch; 0: none.
    int next = 0;    ///< The position of the token that followed them.
  };
  /// The longest match of the text's end, of equals the last.
  Match find_end() const;
  /// Up to `count` tokens that followed the match. One that overlaps the end goes on with itself.
  std::vector<TokenId> following(const Match& match, int count) const;

  static constexpr int kLeastMatch = 2;

 private:
  static constexpr int kMaxMatch = 32;
  static constexpr int kMaxLooks = 16;
  size_t slot_of(size_t last) const;
  void add_pair(size_t last);
  void grow();
  int match_length(size_t at) const;

  std::vector<TokenId> m_tokens;
  std::vector<int32_t> m_latest;    ///< By hash: the last position where such a pair ends, or -1.
  std::vector<int32_t> m_previous;  ///< By position: the one before with the same hash, or -1.
};

}  // namespace quire
