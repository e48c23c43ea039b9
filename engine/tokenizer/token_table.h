#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/tokenizer/text_store.h"
#include "engine/tokenizer/tokenizer.h"
#include "kernels/base/hash_bytes.h"
#include "kernels/base/result.h"

namespace quire {

/// U+2581, which SentencePiece's vocabularies write for a space.
inline constexpr std::string_view kSpaceMark = "\xE2\x96\x81";

/// The sentence for a tokenizer that cannot be used: names the `file`, then `reason` (a clause,
/// which may quote the file's own text), and for a damaged file says what to do.
Error tokenizer_error(const std::string& file, const Error& reason);

/// Of a vocabulary itself, which files beside it may add others to: each costs many times what an
/// ordinary token does. Errors: kUnsupported, a sentence without the file's name.
Result<void> check_num_special(size_t count);

/// One token of a vocabulary as tokenizers of every kind know it.
/// The texts are in its table's store.
struct TokenEntry {
  std::string_view piece;  ///< As the vocabulary spells it.
  std::string_view bytes;  ///< What it adds to decoded text; nothing for a special token.
  bool is_special = false;
  bool is_added = false;  ///< Recognised in templates' text; special ones always are.
  bool strips_before = false;
  bool strips_after = false;
};

/// The tokens of a vocabulary by id, and its special ones by content.
/// Thread: any thread once index_special() has run. Invariants: ids are [0, size()).
class TokenTable {
 public:
  int size() const { return static_cast<int>(m_entries.size()); }
  bool contains(TokenId id) const { return id >= 0 && id < size(); }

  TextStore& texts() { return m_texts; }
  void reserve(size_t num_tokens) { m_entries.reserve(num_tokens); }
  /// The entry of `id`, growing the table with empty entries up to it.
  TokenEntry& at_or_grow(TokenId id);
  /// An empty entry for ids out of range.
  const TokenEntry& operator[](TokenId id) const;

  /// To be called once, when all entries are set.
  void index_special();
  std::optional<TokenId> special_token(std::string_view content) const;
  const std::vector<std::string>& special_tokens() const { return m_contents; }

 private:
  TextStore m_texts;
  std::vector<TokenEntry> m_entries;
  std::vector<std::string> m_contents;
  std::unordered_map<std::string, TokenId, BytesHash, std::equal_to<>> m_special_ids;
};

}  // namespace quire
