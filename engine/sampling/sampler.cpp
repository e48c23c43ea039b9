#include "engine/sampling/sampler.h"

#include <algorithm>
#include <cmath>

#include "engine/sampling/nucleus.h"
#include "engine/sampling/penalties.h"
#include "engine/sampling/philox.h"

namespace quire {
namespace {

double sum_of(const std::vector<Candidate>& candidates) {
  double sum = 0.0;
  for (const Candidate& candidate : candidates) sum += static_cast<double>(candidate.weight);
  return sum;
}

double least_weight(const std::vector<Candidate>& candidates) {
  float least = 1.0f;
  for (const Candidate& candidate : candidates) least = std::min(least, candidate.weight);
  return static_cast<double>(least);
}

/// A lower bound, rounding included, of the logits of tokens whose weight is at least min_p.
float min_p_threshold(float max, const SamplingParams& params) {
  const float slack = 1e-6f * std::abs(max) + 1e-3f * params.temperature;
  return max + params.temperature * std::log(params.min_p) - slack;
}

}  // namespace

Error unsound_logits(uint64_t position) {
  return make_error(ErrorCode::kDevice,
                    "The model's logits for token %1 are not numbers. Its weights or the device "
                    "may be damaged.",
                    {std::to_string(position)});
}

Result<SampledToken> Sampler::sample(std::span<float> logits, const SamplingParams& params,
                                     const TokenHistory& history, uint64_t position) {
  SampledToken token;
  const bool wants_logprobs = params.num_logprobs >= 0;
  if (wants_logprobs) {
    if (!m_blocks.scan(logits)) return unsound_logits(position);
    note_logprobs(logits, params.num_logprobs, token);
  }
  // Penalties do not repair unsound logits.
  const bool penalises = has_penalties(params) && !history.seen().empty();
  if (penalises) apply_penalties(logits, params, history);
  if (penalises || !wants_logprobs) {
    if (!m_blocks.scan(logits)) return unsound_logits(position);
  }
  token.id = params.is_greedy() ? m_blocks.argmax()
                                : sample_soft(params, uniform_at(params.seed, position));
  if (wants_logprobs) token.logprob = m_raw[static_cast<size_t>(token.id)] - m_log_sum;
  return token;
}

void Sampler::note_logprobs(std::span<const float> logits, int count, SampledToken& token) {
  m_raw.assign(logits.begin(), logits.end());
  const double sum = m_blocks.sum_weights({.max = m_blocks.max(), .inverse_temperature = 1.0f});
  m_log_sum = m_blocks.max() + static_cast<float>(std::log(sum));
  m_blocks.select_top(static_cast<size_t>(count), m_candidates);
  token.top.reserve(m_candidates.size());
  for (const Candidate& candidate : m_candidates) {
    token.top.push_back({candidate.id, candidate.logit - m_log_sum});
  }
}

TokenId Sampler::sample_soft(const SamplingParams& params, double uniform) {
  const SoftmaxWeight weight = {
      .max = m_blocks.max(),
      .inverse_temperature = 1.0f / std::max(params.temperature, kMinTemperature)};
  if (params.top_k == 0 && params.top_p >= 1.0f && params.min_p <= 0.0f) {
    const double total = m_blocks.sum_weights(weight);
    return m_blocks.find_running_sum(weight, uniform * total);
  }
  if (params.top_k == 0 && params.top_p < 1.0f) return sample_nucleus(params, weight, uniform);
  select(params, weight);
  return sample_candidate(params.min_p, uniform);
}

/// A few tokens usually hold most of the probability: the whole vocabulary is examined only if the
/// distribution is flat.
TokenId Sampler::sample_nucleus(const SamplingParams& params, SoftmaxWeight weight,
                                double uniform) {
  const double total = m_blocks.sum_weights(weight);
  const double target = static_cast<double>(params.top_p) * total;
  constexpr size_t kMost = 512;
  for (const size_t count : {size_t{64}, kMost}) {
    if (static_cast<double>(count) < target) continue;  // Weights are at most 1.
    m_blocks.select_top(count, m_candidates);
    weigh_candidates(weight);
    const double sum = sum_of(m_candidates);
    if (sum < target) {
      // All others' weights are at most the least of these.
      if (sum + kMost * least_weight(m_candidates) < target * (1.0 - 1e-9)) break;
      continue;
    }
    keep_nucleus(m_candidates, target);
    return sample_candidate(params.min_p, uniform);
  }
  m_histogram.select(m_blocks.logits(), weight, target, m_candidates);
  return sample_candidate(params.min_p, uniform);
}

TokenId Sampler::sample_candidate(float min_p, double uniform) {
  // The likeliest token is always a candidate, and its weight is 1.
  std::erase_if(m_candidates, [&](const Candidate& c) { return c.weight < min_p; });
  const double target = uniform * sum_of(m_candidates);
  double sum = 0.0;
  TokenId sampled = m_candidates.front().id;
  for (const Candidate& candidate : m_candidates) {
    if (candidate.weight == 0.0f) continue;
    sampled = candidate.id;
    sum += static_cast<double>(candidate.weight);
    if (sum > target) break;
  }
  return sampled;
}

/// Truncates m_candidates by top_k and top_p, and roughly by min_p; the likeliest always remains.
void Sampler::select(const SamplingParams& params, SoftmaxWeight weight) {
  if (params.top_k > 0) {
    m_blocks.select_top(static_cast<size_t>(params.top_k), m_candidates);
    weigh_candidates(weight);
    const double target = static_cast<double>(params.top_p) * sum_of(m_candidates);
    if (params.top_p < 1.0f) keep_nucleus(m_candidates, target);
  } else {
    m_blocks.select_above(min_p_threshold(m_blocks.max(), params), m_candidates);
    weigh_candidates(weight);
  }
}

void Sampler::weigh_candidates(SoftmaxWeight weight) {
  for (Candidate& candidate : m_candidates) candidate.weight = weight(candidate.logit);
}

void SampleRows::clear() {
  m_rows.clear();
  m_seen_ids.clear();
  m_output_counts.clear();
}

void SampleRows::add(const SamplingParams& params, const TokenHistory& history, uint64_t position) {
  CHECK(params.num_logprobs < 0);
  SampleRow row = {
      .temperature = params.is_greedy() ? 0.0f : std::max(params.temperature, kMinTemperature),
      .top_k = params.top_k,
      .top_p = params.top_p,
      .min_p = params.min_p,
      .uniform = params.is_greedy() ? 0.0 : uniform_at(params.seed, position),
      .repetition_penalty = params.repetition_penalty,
      .presence_penalty = params.presence_penalty,
      .frequency_penalty = params.frequency_penalty,
      .first_seen = static_cast<int32_t>(m_seen_ids.size())};
  if (has_penalties(params)) {
    for (const TokenId id : history.seen()) {
      m_seen_ids.push_back(id);
      m_output_counts.push_back(static_cast<int32_t>(history.output_count(id)));
    }
  }
  row.num_seen = static_cast<int32_t>(m_seen_ids.size()) - row.first_seen;
  m_rows.push_back(row);
}

}  // namespace quire
