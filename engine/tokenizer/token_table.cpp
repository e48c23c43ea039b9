#include "engine/tokenizer/token_table.h"

#include <algorithm>

#include "engine/io/text.h"
#include "engine/tokenizer/special_tokens.h"
#include "kernels/base/check.h"

namespace quire {

Error tokenizer_error(const std::string& file, const Error& reason) {
  // Longer than any sentence that quotes files by for_message().
  constexpr size_t kMaxReasonBytes = 2000;
  const bool is_damage = reason.code == ErrorCode::kCorruptFile;
  return {reason.code,
          "The tokenizer " + file + " cannot be used: " +
              visible_text(std::string_view(reason.message).substr(0, kMaxReasonBytes)) +
              (is_damage ? ". Download it again." : ".")};
}

Result<void> check_num_special(size_t count) {
  if (count <= kMaxAddedTokens) return {};
  return Error{ErrorCode::kUnsupported, "it has " + with_separators(count) +
                                            " special and added tokens; Quire reads up to " +
                                            with_separators(kMaxAddedTokens)};
}

TokenEntry& TokenTable::at_or_grow(TokenId id) {
  CHECK(id >= 0);
  if (id >= size()) m_entries.resize(static_cast<size_t>(id) + 1);
  return m_entries[static_cast<size_t>(id)];
}

const TokenEntry& TokenTable::operator[](TokenId id) const {
  static const TokenEntry kNone;
  return contains(id) ? m_entries[static_cast<size_t>(id)] : kNone;
}

void TokenTable::index_special() {
  m_special_ids.clear();
  m_contents.clear();
  for (TokenId id = 0; id < size(); ++id) {
    const TokenEntry& entry = (*this)[id];
    if (entry.piece.empty() || !(entry.is_special || entry.is_added)) continue;
    if (m_special_ids.emplace(entry.piece, id).second) m_contents.emplace_back(entry.piece);
  }
  std::stable_sort(m_contents.begin(), m_contents.end(),
                   [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
}

std::optional<TokenId> TokenTable::special_token(std::string_view content) const {
  const auto found = m_special_ids.find(content);
  if (found == m_special_ids.end()) return std::nullopt;
  return found->second;
}

}  // namespace quire
