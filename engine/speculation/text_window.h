#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "engine/tokenizer/tokenizer.h"

namespace quire {

/// The latest texts of several chats, up to a number of tokens: finds where the end of another text
/// occurs in them. Positions are hashed by pairs of tokens, and positions with the same hash are
/// chained from the last to the first, as in LZ77 compressors. The texts are in a ring buffer, so
/// that dropping the oldest one only moves the window's begin. Time: constant per token. Thread:
/// one at a time. Invariants: a match and what follows it are of one text; nothing is found of a
/// chat after forget().
class TextWindow {
 public:
  /// `most_tokens`: a power of two.
  explicit TextWindow(uint32_t most_tokens = kMostTokens) : m_most_tokens(most_tokens) {}

  /// Adds a text; of one that is longer than the window, only its end. Drops the oldest texts to
  /// make room.
  void add(int64_t chat, std::span<const TokenId> tokens);
  /// Overwrites the texts of a chat; their place is reused when they are dropped.
  void forget(int64_t chat);

  struct Match {
    int length = 0;     ///< Tokens that are equal, at least kLeastMatch; 0: none.
    uint32_t next = 0;  ///< Where the token that followed them stands, for following().
  };
  /// The longest match of the end of `text`; among equally long ones the last.
  Match find_end(std::span<const TokenId> text) const;
  /// The tokens that followed the match, at most `count`, up to the end of their text.
  std::vector<TokenId> following(const Match& match, int count) const;

  size_t bytes() const;

  static constexpr uint32_t kMostTokens = 1 << 16;
  static constexpr int kLeastMatch = 2;

 private:
  /// A text's tokens and the kNone after them: the positions [begin, end).
  struct Text {
    int64_t chat = 0;
    uint32_t begin = 0;
    uint32_t end = 0;
  };
  static constexpr int kMaxMatch = 32;
  static constexpr int kMaxLooks = 16;
  static constexpr TokenId kNone = -1;  ///< After each text, and in place of forgotten ones.

  void make_room(uint32_t num_tokens);
  void resize(uint32_t capacity);
  void append(TokenId token);
  void chain(uint32_t last);
  uint32_t slot_of(TokenId first, TokenId second) const;
  int match_length(uint32_t at, std::span<const TokenId> text) const;
  TokenId token(uint32_t position) const { return m_tokens[position & (m_tokens.size() - 1)]; }
  /// The number of tokens from `position` to the end. Positions wrap around, so they are compared
  /// by their age.
  uint32_t age(uint32_t position) const { return m_end - position; }
  bool holds(uint32_t position) const { return position != m_end && age(position) <= size(); }
  uint32_t size() const { return m_end - m_begin; }

  uint32_t m_most_tokens;
  uint32_t m_begin = 0;  ///< The position of the oldest text.
  uint32_t m_end = 0;
  std::vector<TokenId> m_tokens;     ///< By position, modulo its size, a power of two.
  std::vector<uint32_t> m_previous;  ///< By position: the one before with the same hash.
  std::vector<uint32_t> m_latest;    ///< By hash: the last position where such a pair ends.
  std::deque<Text> m_texts;          ///< The oldest first.
};

}  // namespace quire
