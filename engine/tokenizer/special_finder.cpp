#include "engine/tokenizer/special_finder.h"

namespace quire {

SpecialFinder::SpecialFinder(const Tokenizer& tokenizer) : m_tokenizer(tokenizer) {
  for (const std::string& content : tokenizer.special_tokens()) {  // The longest first.
    m_first.set(static_cast<uint8_t>(content[0]));
    if (m_lengths.empty() || m_lengths.back() != content.size()) {
      m_lengths.push_back(content.size());
    }
  }
}

std::optional<SpecialFinder::Match> SpecialFinder::find(std::string_view text, size_t from) const {
  for (size_t i = from; i < text.size(); ++i) {
    if (!m_first[static_cast<uint8_t>(text[i])]) continue;
    for (const size_t length : m_lengths) {
      if (length > text.size() - i) continue;
      const auto id = m_tokenizer.special_token(text.substr(i, length));
      if (id && m_tokenizer.is_special(*id)) return Match{*id, i, length};
    }
  }
  return std::nullopt;
}

}  // namespace quire
