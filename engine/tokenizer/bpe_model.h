#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tokenizer/bpe_merges.h"
#include "engine/tokenizer/string_index.h"

namespace quire {

/// Where text without a pre-tokenizer can be cut without changing a merge: before a run of space
/// marks, unless a token of the vocabulary contains a mark after the preceding character. Nearly no
/// SentencePiece vocabulary has such tokens, so that its texts can be encoded word by word.
/// Thread: immutable once built; any thread.
class SpaceCuts {
 public:
  SpaceCuts() = default;
  /// `mark` is what a space is written as in the vocabulary. Without one, nothing is cut.
  explicit SpaceCuts(std::string mark) : m_mark(std::move(mark)) {}

  /// Adds a token that merges can form.
  void add_token(std::string_view token);
  /// To be called once, when all tokens are added.
  void finish();

  /// The length of the first piece of `text`; the whole length if it cannot be cut.
  size_t first_piece(std::string_view text) const;

 private:
  bool is_bound(char32_t character) const;

  std::string m_mark;
  std::vector<char32_t> m_bound;  ///< Sorted: after these a mark may be within a token.
};

/// The ids of words that one call has encoded already, because texts repeat their words.
/// Thread: one at a time. Invariants: at most kMaxWords words of at most kMaxWordBytes each.
class WordCache {
 public:
  static constexpr size_t kMaxWordBytes = 96;
  static constexpr size_t kMaxWords = 1 << 16;

  /// Nothing if the word is not known. Valid until the next insert.
  std::optional<std::span<const TokenId>> find(std::string_view word) const;
  /// Adds a word that find() did not know, unless the cache is full.
  void insert(std::string_view word, std::span<const TokenId> ids);

 private:
  StringIndex m_words;            ///< Places in m_ends.
  std::vector<size_t> m_ends{0};  ///< Word i has the ids [m_ends[i], m_ends[i + 1]).
  std::vector<TokenId> m_ids;
};

/// A byte pair encoding: words to ids.
/// Thread: immutable once filled; any thread, each with its own BpeCall.
class BpeModel {
 public:
  /// Tokens by spelling. A byte-level model needs them only if it ignores merges, and has them by
  /// the bytes that they spell.
  StringIndex words;
  BpeMerges merges;
  SpaceCuts cuts;
  bool is_byte_level = false;   ///< Symbols are bytes; otherwise characters.
  bool ignores_merges = false;  ///< A word that is a token becomes that token.
  bool fuses_unknown = false;   ///< Unknown characters in a row are one unknown token.
  std::optional<TokenId> unknown;
  /// Tokens for single bytes; -1 where the vocabulary has none. Of a model that is not byte-level
  /// they stand for characters that are no tokens, if all bytes of one are there.
  std::array<TokenId, 256> byte_ids = no_bytes();

  /// Characters that are no tokens but parts of some. They are symbols from `first_loose` on, and
  /// become bytes if they do not merge.
  std::vector<std::string> loose_characters;
  TokenId first_loose = 0;

  bool has_all_bytes() const;
  bool has_bytes(std::string_view bytes) const;  ///< Each has a token.
  /// The bytes' tokens; nothing for a byte without one where there is no unknown token either.
  void append_bytes(std::string_view bytes, std::vector<TokenId>& ids) const;

 private:
  static std::array<TokenId, 256> no_bytes() {
    std::array<TokenId, 256> none;
    none.fill(-1);
    return none;
  }
};

/// One call's use of a BpeModel.
class BpeCall {
 public:
  explicit BpeCall(const BpeModel& model) : m_model(model) {}

  /// The ids of a word (or of a text that has not been cut into words), appended.
  void append(std::string_view word, std::vector<TokenId>& ids);

 private:
  void append_piece(std::string_view piece, std::vector<TokenId>& ids);
  void split_into_symbols(std::string_view piece);
  void add_character(std::string_view character, std::vector<TokenId>& symbols) const;
  void replace_loose();

  const BpeModel& m_model;
  WordCache m_cache;
  BpeMerges::Scratch m_scratch;
  std::vector<TokenId> m_symbols;
  std::vector<TokenId> m_replaced;
};

}  // namespace quire
