#include "engine/tokenizer/space_cuts.h"

#include <algorithm>

#include "engine/tokenizer/unicode_text.h"

namespace quire {

void SpaceCuts::add_token(std::string_view token) {
  if (m_mark.empty()) return;
  for (size_t at = token.find(m_mark, 1); at != token.npos; at = token.find(m_mark, at + 1)) {
    const std::string_view before = token.substr(0, at);
    if (!before.ends_with(m_mark)) m_bound.push_back(last_character(before));
  }
}

void SpaceCuts::finish() {
  std::sort(m_bound.begin(), m_bound.end());
  m_bound.erase(std::unique(m_bound.begin(), m_bound.end()), m_bound.end());
}

bool SpaceCuts::is_bound(char32_t character) const {
  return std::binary_search(m_bound.begin(), m_bound.end(), character);
}

size_t SpaceCuts::first_piece(std::string_view text) const {
  if (m_mark.empty()) return text.size();
  for (size_t at = text.find(m_mark, 1); at != text.npos; at = text.find(m_mark, at + 1)) {
    const std::string_view before = text.substr(0, at);
    if (before.ends_with(m_mark)) continue;
    if (m_bound.empty() || !is_bound(last_character(before))) return at;
  }
  return text.size();
}

}  // namespace quire
