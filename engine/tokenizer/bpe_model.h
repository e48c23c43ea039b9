#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tokenizer/bpe_merges.h"
#include "engine/tokenizer/space_cuts.h"
#include "engine/tokenizer/string_index.h"
#include "engine/tokenizer/word_cache.h"

namespace quire {

/// A byte pair encoding: words to ids.
/// Thread: immutable once filled; any thread, each with its own BpeCall.
class BpeModel {
 public:
  StringIndex words;  ///< Tokens by their bytes; in a byte-level model by what they stand for.
  BpeMerges merges;
  SpaceCuts cuts;
  bool is_byte_level = false;   ///< Symbols are bytes; otherwise characters.
  bool ignores_merges = false;  ///< A word that is a token becomes that token.
  bool fuses_unknown = false;   ///< Unknown characters in a row are one unknown token.
  std::optional<TokenId> unknown;
  /// Tokens for single bytes; -1 where the vocabulary has none. Of a model that is not byte-level
  /// they stand for characters that are no tokens, if all bytes of one are there.
  std::array<TokenId, 256> byte_ids = no_bytes();

  /// Characters that are no tokens but parts of some: symbols from `first_loose` on, which end as
  /// bytes where they did not merge.
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
