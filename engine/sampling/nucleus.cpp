#include "engine/sampling/nucleus.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/check.h"

namespace quire {
namespace {

/// A bucket's weights lie within two powers of two, so that their sum in double is exact in any
/// order. Counted up in several places, neighbours do not wait for each other.
constexpr size_t kPlaces = 4;

/// Buckets that are compared together, and one by one only if one of them is looked for.
constexpr size_t kCompared = 16;

bool has_any(const int32_t* buckets, int32_t bucket) {
  bool any = false;
  for (size_t i = 0; i < kCompared; ++i) any |= buckets[i] == bucket;
  return any;
}

}  // namespace

bool is_exact_sum(double sum, double least) {
  // A float of at least x is a whole multiple of x / 2^24, and doubles hold 2^53 of those.
  return sum < least * 0x1p29;
}

double least_weight_of(int32_t bucket) {
  return std::exp(-static_cast<double>(bucket + 2) / kBucketsPerE);
}

SumPlace find_sum_place(std::span<const double> blocks, std::span<const Candidate> tokens,
                        double uniform) {
  double total = 0.0;
  for (const double sum : blocks) total += sum;
  for (const Candidate& token : tokens) total += static_cast<double>(token.weight);
  const double target = uniform * total;
  double sum = 0.0;
  for (size_t b = 0; b < blocks.size(); ++b) {
    if (sum + blocks[b] > target) return {b, 0, sum, target};
    sum += blocks[b];
  }
  for (const Candidate& token : tokens) {
    sum += static_cast<double>(token.weight);
    if (sum > target) return {blocks.size(), token.id, sum, target};
  }
  // The sum is the total now, and a product with less than one is less.
  CHECK(false);
}

size_t find_in_block(std::span<const float> weights, std::span<const int32_t> buckets,
                     KeptWeights kept, const SumPlace& place) {
  double sum = place.before;
  for (size_t i = 0; i < weights.size(); ++i) {
    if (kept.has(weights[i], buckets[i])) sum += static_cast<double>(weights[i]);
    if (sum > place.target) return i;
  }
  CHECK(false);
}

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

/// Returns the sum of the buckets before the edge.
double WideNucleus::find_edge(double target) {
  m_sums.assign(kPlaces * kNumBuckets, 0.0);
  double* const sums = m_sums.data();
  const float* const weights = m_weights.data();
  const int32_t* const buckets = m_buckets.data();
  for (size_t i = 0; i < m_weights.size(); ++i) {
    sums[i % kPlaces * kNumBuckets + static_cast<size_t>(buckets[i])] +=
        static_cast<double>(weights[i]);
  }
  const auto sum_of = [this](int32_t bucket) {
    double sum = 0.0;
    for (size_t place = 0; place < kPlaces; ++place) {
      sum += m_sums[place * kNumBuckets + static_cast<size_t>(bucket)];
    }
    return sum;
  };
  m_edge = 0;
  double before = 0.0;
  while (m_edge + 1 < kNumBuckets && before + sum_of(m_edge) < target) before += sum_of(m_edge++);
  m_reach = before + sum_of(m_edge);
  return before;
}

void WideNucleus::find(std::span<const float> logits, SoftmaxWeight weight, double target) {
  m_weights.resize(logits.size());
  m_buckets.resize(logits.size());
  logit_passes().front().weigh(logits, weight, m_weights, m_buckets);
  const double before = find_edge(target);
  list_edge(logits);
  keep_nucleus(m_at_edge, target - before);
}

/// Makes m_at_edge all of the edge's bucket.
void WideNucleus::list_edge(std::span<const float> logits) {
  m_at_edge.clear();
  for (size_t begin = 0; begin < logits.size(); begin += kCompared) {
    const size_t end = std::min(begin + kCompared, logits.size());
    if (end - begin == kCompared && !has_any(m_buckets.data() + begin, m_edge)) continue;
    for (size_t i = begin; i < end; ++i) {
      if (m_buckets[i] != m_edge || m_weights[i] == 0.0f) continue;
      m_at_edge.push_back({static_cast<TokenId>(i), logits[i], m_weights[i]});
    }
  }
}

bool WideNucleus::has_exact_sums(float min_p) const {
  return is_exact_sum(m_reach, std::max(least_weight_of(m_edge), static_cast<double>(min_p)));
}

TokenId WideNucleus::draw(float min_p, double uniform) {
  std::erase_if(m_at_edge, [&](const Candidate& c) { return c.weight < min_p; });
  const KeptWeights kept = {.edge = m_edge, .least = min_p};
  m_sums.resize((m_weights.size() + kLogitBlock - 1) / kLogitBlock);
  logit_passes().front().sum_kept(m_weights, m_buckets, kept, m_sums);
  const SumPlace place = find_sum_place(m_sums, m_at_edge, uniform);
  if (place.block == m_sums.size()) return place.token;
  const size_t begin = place.block * kLogitBlock;
  const size_t size = std::min(kLogitBlock, m_weights.size() - begin);
  return static_cast<TokenId>(begin + find_in_block(std::span(m_weights).subspan(begin, size),
                                                    std::span(m_buckets).subspan(begin, size), kept,
                                                    place));
}

void WideNucleus::list(std::span<const float> logits, std::vector<Candidate>& out) const {
  out.clear();
  for (size_t i = 0; i < logits.size(); ++i) {
    if (m_buckets[i] >= m_edge || m_weights[i] == 0.0f) continue;
    out.push_back({static_cast<TokenId>(i), logits[i], m_weights[i]});
  }
  out.insert(out.end(), m_at_edge.begin(), m_at_edge.end());
}

}  // namespace quire
