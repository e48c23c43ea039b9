#include "engine/tokenizer/added_token_matcher.h"

#include <algorithm>

#include "engine/io/text.h"
#include "engine/tokenizer/unicode_text.h"

namespace quire {

void AddedTokenMatcher::add(const AddedToken& token) {
  if (token.content.empty() || token.content.size() > kMaxContentBytes) return;
  m_num_bytes += token.content.size();
  if (m_num_bytes > kMaxBytes) return;
  m_is_first.set(static_cast<uint8_t>(token.content[0]));
  m_tokens.push_back(token);
}

Result<void> AddedTokenMatcher::finish() {
  if (m_num_bytes > kMaxBytes) {
    return Error{ErrorCode::kUnsupported,
                 "its special and added tokens are together longer than the " +
                     with_separators(kMaxBytes) + " bytes that Quire reads"};
  }
  for (size_t i = 0; i < m_tokens.size(); ++i) {
    m_trie.add(m_tokens[i].content, static_cast<TokenId>(i));
  }
  static_cast<void>(m_trie.finish());
  return {};
}

std::optional<AddedTokenMatcher::Match> AddedTokenMatcher::accept(std::string_view text,
                                                                  size_t begin,
                                                                  const AddedToken& token,
                                                                  size_t used) const {
  size_t end = begin + token.content.size();
  if (token.is_special) return std::nullopt;
  if (token.single_word) {
    if (begin > 0 && is_word_character(last_character(text.substr(0, begin)))) return std::nullopt;
    if (end < text.size() && is_word_character(first_character(text.substr(end)))) {
      return std::nullopt;
    }
  }
  if (token.strips_before) begin -= trailing_space_bytes(text.substr(used, begin - used));
  if (token.strips_after) end += leading_space_bytes(text.substr(end));
  return Match{begin, end, token.id};
}

std::optional<AddedTokenMatcher::Match> AddedTokenMatcher::find(std::string_view text, size_t from,
                                                                size_t used,
                                                                WorkBudget& budget) const {
  for (size_t i = std::max(from, used); i < text.size(); ++i) {
    if (!m_is_first[static_cast<uint8_t>(text[i])]) continue;
    std::optional<TokenId> longest;
    const size_t walked =
        m_trie.for_each_prefix(text.substr(i), [&](size_t, TokenId place) { longest = place; });
    if (!budget.spend(walked)) return std::nullopt;
    if (!longest) continue;
    const AddedToken& token = m_tokens[static_cast<size_t>(*longest)];
    if (auto match = accept(text, i, token, used)) return match;
    i += token.content.size() - 1;
  }
  return std::nullopt;
}

}  // namespace quire
