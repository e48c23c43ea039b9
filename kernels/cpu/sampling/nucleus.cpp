#include "kernels/cpu/sampling/nucleus.h"

#include <algorithm>

#include "kernels/cpu/sampling/logit_passes.h"

namespace quire::cpu {

void keep_nucleus(std::vector<Candidate>& candidates, double target) {
  double sum = 0.0;
  const auto last = std::ranges::find_if(candidates, [&](const Candidate& candidate) {
    return (sum += static_cast<double>(candidate.weight)) >= target;
  });
  if (last != candidates.end()) candidates.erase(last + 1, candidates.end());
}

void NucleusHistogram::select(std::span<const float> logits, SoftmaxWeight weight, double target,
                              std::vector<Candidate>& out) {
  m_weights.resize(logits.size());
  m_buckets.resize(logits.size());
  logit_passes().front().weigh(logits, weight, m_weights, m_buckets);
  // A bucket's weights lie within two powers of two, so that their sum in double is exact.
  m_sums.assign(kNumBuckets, 0.0);
  for (size_t i = 0; i < logits.size(); ++i) {
    m_sums[static_cast<size_t>(m_buckets[i])] += static_cast<double>(m_weights[i]);
  }
  int32_t last = 0;
  double before = 0.0;
  while (last + 1 < kNumBuckets && before + m_sums[static_cast<size_t>(last)] < target) {
    before += m_sums[static_cast<size_t>(last++)];
  }
  out.clear();
  m_last.clear();
  for (size_t i = 0; i < logits.size(); ++i) {
    if (m_buckets[i] > last || m_weights[i] == 0.0f) continue;
    const Candidate candidate = {static_cast<int32_t>(i), logits[i], m_weights[i]};
    (m_buckets[i] < last ? out : m_last).push_back(candidate);
  }
  std::ranges::sort(m_last, is_preferred);
  keep_nucleus(m_last, target - before);
  out.insert(out.end(), m_last.begin(), m_last.end());
}

}  // namespace quire::cpu
