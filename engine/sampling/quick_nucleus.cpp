#include "engine/sampling/quick_nucleus.h"

#include <algorithm>
#include <cmath>

namespace quire {
namespace {

/// Of so many neighbours so many are in the sample.
constexpr size_t kStride = 512;
constexpr size_t kRun = 16;
/// What is sampled of fewer says too little.
constexpr size_t kLeastTokens = 16 * kStride;
/// Standard errors by which the sample is taken to be wrong at most.
constexpr double kErrors = 4.0;
/// That is not in any window (BucketWindow).
constexpr int32_t kLastBucket = kNumBuckets - 1;

/// No weight in the bucket is above it, rounding included.
double largest_weight_of(int32_t bucket) {
  return 1.001 * std::exp(-static_cast<double>(bucket) / kBucketsPerE);
}

}  // namespace

/// The buckets in which the weights that are left out, from the least on, come to `tail`: by their
/// standard error the earliest and the latest. The likeliest, of which a sample says little, are
/// not among them.
BucketWindow QuickNucleus::guess_window(std::span<const float> logits, SoftmaxWeight weight,
                                        double tail) {
  m_logits.clear();
  for (size_t i = 0; i + kRun <= logits.size(); i += kStride) {
    const auto run = logits.begin() + static_cast<std::ptrdiff_t>(i);
    m_logits.insert(m_logits.end(), run, run + kRun);
  }
  m_weights.resize(m_logits.size());
  m_buckets.resize(m_logits.size());
  logit_passes().front().weigh(m_logits, weight, m_weights, m_buckets);
  m_sums.assign(kNumBuckets, 0.0);
  m_squares.assign(kNumBuckets, 0.0);
  for (size_t i = 0; i < m_logits.size(); ++i) {
    const auto bucket = static_cast<size_t>(m_buckets[i]);
    const auto of_token = static_cast<double>(m_weights[i]);
    m_sums[bucket] += of_token;
    m_squares[bucket] += of_token * of_token;
  }
  const double scale = static_cast<double>(logits.size()) / static_cast<double>(m_logits.size());
  BucketWindow window = {.begin = 0, .end = kLastBucket};
  const double step = std::exp(1.0 / kBucketsPerE);
  double largest = std::exp(-kLastBucket / kBucketsPerE);  // In the bucket.
  double sum = 0.0, squares = 0.0;
  for (int32_t bucket = kLastBucket; bucket >= 0; --bucket, largest *= step) {
    sum += scale * m_sums[static_cast<size_t>(bucket)];
    squares += scale * scale * m_squares[static_cast<size_t>(bucket)];
    // As if one more had been met: none may be by chance.
    const double error = kErrors * std::sqrt(squares + scale * scale * largest * largest);
    if (sum + error < tail) window.end = bucket;
    if (sum - error > tail) {
      window.begin = bucket;
      break;
    }
  }
  return window;
}

std::optional<QuickNucleus::Edge> QuickNucleus::find_edge(BucketWindow window, double before,
                                                          double target) {
  m_sums.assign(static_cast<size_t>(window.end - window.begin), 0.0);
  for (size_t i = 0; i < m_window.count; ++i) {
    m_sums[static_cast<size_t>(m_window.buckets[i] - window.begin)] +=
        static_cast<double>(m_window.weights[i]);
  }
  for (int32_t bucket = window.begin; const double sum : m_sums) {
    if (before + sum >= target) return Edge{bucket, before};
    before += sum;
    ++bucket;
  }
  return std::nullopt;
}

/// Adds the window's tokens before the edge to their blocks' sums. Neighbours are of one block, and
/// would wait for each other, so that several places are taken in turn.
void QuickNucleus::add_window(int32_t edge, float min_p) {
  const auto add = [&](size_t i) {
    const float weight = m_window.weights[i];
    const bool is_kept = (m_window.buckets[i] < edge) & (weight >= min_p);
    m_block_sums[static_cast<size_t>(m_window.ids[i]) / kLogitBlock] +=
        static_cast<double>(weight) * static_cast<double>(is_kept);
  };
  constexpr size_t kPlaces = 4;
  const size_t length = m_window.count / kPlaces;
  for (size_t i = 0; i < length; ++i) {
    for (size_t place = 0; place < kPlaces; ++place) add(place * length + i);
  }
  for (size_t i = kPlaces * length; i < m_window.count; ++i) add(i);
}

/// Makes m_at_edge the window's tokens there.
void QuickNucleus::list_edge(std::span<const float> logits, int32_t edge) {
  m_at_edge.resize(m_window.count + 1);
  size_t count = 0;
  for (size_t i = 0; i < m_window.count; ++i) {
    m_at_edge[count].id = m_window.ids[i];
    m_at_edge[count].weight = m_window.weights[i];
    count += m_window.buckets[i] == edge ? 1 : 0;
  }
  m_at_edge.resize(count);
  for (Candidate& candidate : m_at_edge) {
    candidate.logit = logits[static_cast<size_t>(candidate.id)];
  }
}

std::optional<TokenId> QuickNucleus::draw(std::span<const float> logits, SoftmaxWeight weight,
                                          const Draw& draw) {
  if (logits.size() < kLeastTokens) return std::nullopt;
  const LogitPasses& passes = logit_passes().front();
  BucketWindow window = guess_window(logits, weight, draw.total - draw.target);
  // If all of it is below min_p, so is the edge, and where exactly does not matter.
  const bool is_below_min_p = largest_weight_of(window.begin) < static_cast<double>(draw.min_p);
  if (is_below_min_p) window.end = window.begin;
  // With room for what summing up the total has rounded.
  if (!is_exact_sum(1.001 * draw.total, least_weight_of(window.end))) return std::nullopt;
  m_window.reset(logits.size());
  m_block_sums.resize((logits.size() + kLogitBlock - 1) / kLogitBlock);
  const double before = passes.part(logits, weight, {window, draw.min_p}, m_block_sums, m_window);
  if (before >= draw.target) return std::nullopt;
  const std::optional<Edge> edge =
      is_below_min_p ? Edge{window.begin, before} : find_edge(window, before, draw.target);
  if (!edge) return std::nullopt;
  add_window(edge->bucket, draw.min_p);
  list_edge(logits, edge->bucket);
  keep_nucleus(m_at_edge, draw.target - edge->before);
  std::erase_if(m_at_edge, [&](const Candidate& c) { return c.weight < draw.min_p; });
  const SumPlace place = find_sum_place(m_block_sums, m_at_edge, draw.uniform);
  if (place.block == m_block_sums.size()) return place.token;
  const size_t begin = place.block * kLogitBlock;
  const auto block = logits.subspan(begin, std::min(kLogitBlock, logits.size() - begin));
  m_weights.resize(block.size());
  m_buckets.resize(block.size());
  passes.weigh(block, weight, m_weights, m_buckets);
  const KeptWeights kept = {.edge = edge->bucket, .least = draw.min_p};
  return static_cast<TokenId>(begin + find_in_block(m_weights, m_buckets, kept, place));
}

}  // namespace quire
