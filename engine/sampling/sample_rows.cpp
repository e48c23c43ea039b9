#include "engine/sampling/sample_rows.h"

#include <algorithm>

#include "engine/sampling/philox.h"

namespace quire {
namespace {

/// Below it every other token's weight is zero in single precision anyway.
constexpr float kMinTemperature = 1e-6f;

}  // namespace

void SampleRows::clear() {
  m_rows.clear();
  m_seen_ids.clear();
  m_output_counts.clear();
  m_bias_ids.clear();
  m_biases.clear();
  m_allowed_words.clear();
}

void SampleRows::add(const SamplingParams& params, const TokenHistory& history, uint64_t position,
                     std::span<const uint32_t> allowed) {
  SampleRow row = {
      .temperature = params.is_greedy() ? 0.0f : std::max(params.temperature, kMinTemperature),
      .top_k = params.top_k,
      .top_p = params.top_p,
      .min_p = params.min_p,
      .uniform = params.is_greedy() ? 0.0 : uniform_at(params.seed, position),
      .repetition_penalty = params.repetition_penalty,
      .presence_penalty = params.presence_penalty,
      .frequency_penalty = params.frequency_penalty,
      .first_seen = static_cast<int32_t>(m_seen_ids.size()),
      .first_bias = static_cast<int32_t>(m_bias_ids.size()),
      .num_biases = static_cast<int32_t>(params.logit_bias.size())};
  if (has_penalties(params)) {
    for (const TokenId id : history.seen()) {
      m_seen_ids.push_back(id);
      m_output_counts.push_back(static_cast<int32_t>(history.output_count(id)));
    }
  }
  row.num_seen = static_cast<int32_t>(m_seen_ids.size()) - row.first_seen;
  for (const LogitBias& bias : params.logit_bias) {
    m_bias_ids.push_back(bias.id);
    m_biases.push_back(bias.bias);
  }
  if (!allowed.empty()) {
    row.first_allowed_word = static_cast<int32_t>(m_allowed_words.size());
    m_allowed_words.insert(m_allowed_words.end(), allowed.begin(), allowed.end());
  }
  m_rows.push_back(row);
}

}  // namespace quire
