#include "engine/sampling/token_history.h"

#include <algorithm>

namespace quire {

TokenHistory::TokenHistory(int vocab_size)
    : m_output_counts(static_cast<size_t>(std::max(vocab_size, 0))),
      m_is_seen(m_output_counts.size()) {}

bool TokenHistory::note(TokenId id) {
  if (id < 0 || static_cast<size_t>(id) >= m_is_seen.size()) return false;
  uint8_t& is_seen = m_is_seen[static_cast<size_t>(id)];
  if (!is_seen) m_seen.push_back(id);
  is_seen = 1;
  return true;
}

void TokenHistory::add_prompt(std::span<const TokenId> ids) {
  for (const TokenId id : ids) note(id);
}

void TokenHistory::add_output(TokenId id) {
  if (note(id)) ++m_output_counts[static_cast<size_t>(id)];
}

void TokenHistory::clear() {
  for (const TokenId id : m_seen) {
    m_is_seen[static_cast<size_t>(id)] = 0;
    m_output_counts[static_cast<size_t>(id)] = 0;
  }
  m_seen.clear();
}

}  // namespace quire
