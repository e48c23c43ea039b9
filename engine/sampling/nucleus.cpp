#include "engine/sampling/nucleus.h"

#include <algorithm>
#include <array>

#include "engine/sampling/logit_passes.h"

namespace quire {
namespace {

/// Weights below exp(-87) are zero; a bucket is 1/32 of a factor e wide.
constexpr float kBucketsPerE = 32.0f;
constexpr size_t kBuckets = 87 * 32 + 1;

/// Ascending as logits fall. Only for logits of positive weight, whose distance is at most 87.
size_t bucket_of(float logit, SoftmaxWeight weight) {
  const float distance = (weight.max - logit) * weight.inverse_temperature;
  return static_cast<size_t>(distance * kBucketsPerE);
}

}  // namespace

void keep_nucleus(std::vector<Candidate>& candidates, double target) {
  constexpr std::ptrdiff_t kSortable = 256;
  auto begin = candidates.begin();
  auto end = candidates.end();
  double kept = 0.0;  // The weight of those before `begin`, which all stay.
  while (end - begin > kSortable) {
    const auto middle = begin + (end - begin) / 2;
    std::nth_element(begin, middle, end, is_preferred);
    double first_half = 0.0;
    for (auto it = begin; it != middle; ++it) first_half += static_cast<double>(it->weight);
    if (kept + first_half >= target) {
      end = middle;
    } else {
      kept += first_half;
      begin = middle;
    }
  }
  std::sort(begin, end, is_preferred);
  while (begin != end && (kept < target || begin == candidates.begin())) {
    kept += static_cast<double>(begin->weight);
    ++begin;
  }
  candidates.erase(begin, candidates.end());
}

void select_nucleus(std::span<const float> logits, SoftmaxWeight weight, double target,
                    std::vector<float>& scratch, std::vector<Candidate>& out) {
  scratch.resize(logits.size());
  const std::span<float> weights = scratch;
  logit_passes().front().weigh(logits, weight, weights);
  std::array<double, kBuckets> sums{};
  for (size_t i = 0; i < logits.size(); ++i) {
    if (weights[i] > 0.0f) sums[bucket_of(logits[i], weight)] += static_cast<double>(weights[i]);
  }
  size_t edge = 0;
  double before = 0.0;
  while (edge + 1 < kBuckets && before + sums[edge] < target) before += sums[edge++];

  out.clear();
  std::vector<Candidate> at_edge;
  for (size_t i = 0; i < logits.size(); ++i) {
    if (weights[i] == 0.0f) continue;
    const size_t bucket = bucket_of(logits[i], weight);
    if (bucket > edge) continue;
    (bucket < edge ? out : at_edge).push_back({static_cast<TokenId>(i), logits[i], weights[i]});
  }
  keep_nucleus(at_edge, target - before);
  out.insert(out.end(), at_edge.begin(), at_edge.end());
}

}  // namespace quire
