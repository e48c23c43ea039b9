#include "kernels/cpu/sampling/row_sampler.h"

#include <algorithm>
#include <cmath>

#include "kernels/cpu/sampling/logit_passes.h"

namespace quire::cpu {
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
float min_p_threshold(float max, const SampleRow& row) {
  const float slack = 1e-6f * std::abs(max) + 1e-3f * row.temperature;
  return max + row.temperature * std::log(row.min_p) - slack;
}

bool has_penalties(const SampleRow& row) {
  return row.num_seen > 0 && (row.repetition_penalty != 1.0f || row.presence_penalty != 0.0f ||
                              row.frequency_penalty != 0.0f);
}

}  // namespace

void apply_penalties(std::span<float> logits, const SampleRow& row, const SampleBatch& batch) {
  const auto first = static_cast<size_t>(row.first_seen);
  for (size_t i = first; i < first + static_cast<size_t>(row.num_seen); ++i) {
    const auto index = static_cast<size_t>(batch.seen_ids[i]);
    if (index >= logits.size()) continue;
    float& logit = logits[index];
    logit = logit > 0.0f ? logit / row.repetition_penalty : logit * row.repetition_penalty;
    const auto count = static_cast<float>(batch.output_counts[i]);
    if (count == 0.0f) continue;
    logit -= row.frequency_penalty * count;
    logit -= row.presence_penalty;
  }
}

void apply_biases(std::span<float> logits, const SampleRow& row, const SampleBatch& batch) {
  const auto first = static_cast<size_t>(row.first_bias);
  for (size_t i = first; i < first + static_cast<size_t>(row.num_biases); ++i) {
    const auto index = static_cast<size_t>(batch.bias_ids[i]);
    if (index < logits.size()) logits[index] += batch.biases[i];
  }
}

void apply_mask(std::span<float> logits, const SampleRow& row, const SampleBatch& batch) {
  constexpr size_t kBits = 32;
  const size_t num_words = (logits.size() + kBits - 1) / kBits;
  const auto words =
      batch.allowed_words.subspan(static_cast<size_t>(row.first_allowed_word), num_words);
  for (size_t w = 0; w < num_words; ++w) {
    if (words[w] == ~0u) continue;
    const std::span<float> own =
        logits.subspan(w * kBits).first(std::min(kBits, logits.size() - w * kBits));
    if (words[w] == 0) {
      std::ranges::fill(own, kMasked);
      continue;
    }
    for (size_t i = 0; i < own.size(); ++i) {
      if ((words[w] >> i & 1u) == 0) own[i] = kMasked;
    }
  }
}

int32_t RowSampler::sample(std::span<float> logits, const SampleRow& row,
                           const SampleBatch& batch) {
  // What changes logits does not repair unsound ones.
  if (!m_blocks.scan(logits)) return -1;
  const bool is_penalised = has_penalties(row);
  const bool is_masked = row.first_allowed_word >= 0;
  if (is_penalised) apply_penalties(logits, row, batch);
  if (row.num_biases > 0) apply_biases(logits, row, batch);
  if (is_masked) apply_mask(logits, row, batch);
  if ((is_penalised || is_masked || row.num_biases > 0) && !m_blocks.scan(logits)) return -1;
  return row.temperature <= 0.0f ? m_blocks.argmax() : sample_soft(row);
}

int32_t RowSampler::sample_soft(const SampleRow& row) {
  const SoftmaxWeight weight = {.max = m_blocks.max(),
                                .inverse_temperature = 1.0f / row.temperature};
  if (row.top_k == 0 && row.top_p >= 1.0f && row.min_p <= 0.0f) {
    const double total = m_blocks.sum_weights(weight);
    return m_blocks.find_running_sum(weight, row.uniform * total);
  }
  if (row.top_k == 0 && row.top_p < 1.0f) return sample_nucleus(row, weight);
  select(row, weight);
  return sample_candidate(row.min_p, row.uniform);
}

/// A few tokens usually hold most of the probability: the whole vocabulary is examined only if the
/// distribution is flat.
int32_t RowSampler::sample_nucleus(const SampleRow& row, SoftmaxWeight weight) {
  const double total = m_blocks.sum_weights(weight);
  const double target = static_cast<double>(row.top_p) * total;
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
    return sample_candidate(row.min_p, row.uniform);
  }
  m_histogram.select(m_blocks.logits(), weight, target, m_candidates);
  return sample_candidate(row.min_p, row.uniform);
}

int32_t RowSampler::sample_candidate(float min_p, double uniform) {
  // The likeliest token is always a candidate, and its weight is 1.
  std::erase_if(m_candidates, [&](const Candidate& c) { return c.weight < min_p; });
  const double target = uniform * sum_of(m_candidates);
  double sum = 0.0;
  int32_t sampled = m_candidates.front().id;
  for (const Candidate& candidate : m_candidates) {
    if (candidate.weight == 0.0f) continue;
    sampled = candidate.id;
    sum += static_cast<double>(candidate.weight);
    if (sum > target) break;
  }
  return sampled;
}

/// Truncates m_candidates by top_k and top_p, and roughly by min_p; the likeliest always remains.
void RowSampler::select(const SampleRow& row, SoftmaxWeight weight) {
  if (row.top_k > 0) {
    m_blocks.select_top(static_cast<size_t>(row.top_k), m_candidates);
    weigh_candidates(weight);
    const double target = static_cast<double>(row.top_p) * sum_of(m_candidates);
    if (row.top_p < 1.0f) keep_nucleus(m_candidates, target);
  } else {
    m_blocks.select_above(min_p_threshold(m_blocks.max(), row), m_candidates);
    weigh_candidates(weight);
  }
}

void RowSampler::weigh_candidates(SoftmaxWeight weight) {
  for (Candidate& candidate : m_candidates) candidate.weight = weight(candidate.logit);
}

}  // namespace quire::cpu
