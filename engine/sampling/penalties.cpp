#include "engine/sampling/penalties.h"

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

void TokenHistory::undo(std::span<const TokenId> outputs, size_t mark) {
  for (const TokenId id : outputs) {
    if (id >= 0 && static_cast<size_t>(id) < m_output_counts.size()) {
      --m_output_counts[static_cast<size_t>(id)];
    }
  }
  for (size_t i = mark; i < m_seen.size(); ++i) m_is_seen[static_cast<size_t>(m_seen[i])] = 0;
  m_seen.resize(mark);
}

bool has_penalties(const SamplingParams& params) {
  return params.repetition_penalty != 1.0f || params.presence_penalty != 0.0f ||
         params.frequency_penalty != 0.0f;
}

}  // namespace quire
