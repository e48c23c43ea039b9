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

bool has_penalties(const SamplingParams& params) {
  return params.repetition_penalty != 1.0f || params.presence_penalty != 0.0f ||
         params.frequency_penalty != 0.0f;
}

void apply_penalties(std::span<float> logits, const SamplingParams& params,
                     const TokenHistory& history) {
  if (!has_penalties(params)) return;
  const float repetition = params.repetition_penalty;
  for (const TokenId id : history.seen()) {
    const auto index = static_cast<size_t>(id);
    if (index >= logits.size()) continue;
    float& logit = logits[index];
    logit = logit > 0.0f ? logit / repetition : logit * repetition;
    const uint32_t count = history.output_count(id);
    if (count == 0) continue;
    logit -= params.frequency_penalty * static_cast<float>(count);
    logit -= params.presence_penalty;
  }
}

}  // namespace quire
