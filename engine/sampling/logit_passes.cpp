// The passes over a whole vocabulary in vectors of four, eight or sixteen: what is done to a logit,
// and the order in which weights are added, do not depend on the width.

#include "engine/sampling/logit_passes.h"

#include <algorithm>
#include <array>
#include <cfloat>

#include "engine/sampling/logit_lanes.h"
#include "engine/sampling/logit_window.h"
#include "kernels/base/instruction_set.h"

namespace quire {
namespace {

/// Running sums of a block.
constexpr size_t kLanes = 16;
/// Blocks whose lanes are added up together: one block's additions wait for each other.
constexpr size_t kGroup = 8;
constexpr size_t kGroupLogits = kGroup * kLogitBlock;

using Kept = KeptWeights;

/// The largest of a block; what is not a number below infinity leaves ones in `bad`.
template <class V>
QUIRE_INLINE float scan_block(const float* block, typename V::Mask& bad) {
  typename V::F largest;
  load<V>(largest, block);
  bad |= ~(largest <= FLT_MAX);
  for (size_t i = V::kWidth; i < kLogitBlock; i += V::kWidth) {
    typename V::F x;
    load<V>(x, block + i);
    largest = x > largest ? x : largest;
    bad |= ~(x <= FLT_MAX);
  }
  float result = largest[0];
  for (size_t lane = 1; lane < V::kWidth; ++lane) {
    result = largest[lane] > result ? largest[lane] : result;
  }
  return result;
}

/// Adds up a block's weights that are sixteen apart. sums: (kLanes)
template <class V>
QUIRE_INLINE void sum_block(const float* weights, float* sums) {
  for (size_t lane = 0; lane < kLanes; lane += V::kWidth) {
    typename V::F sum = {};
    for (size_t i = lane; i < kLogitBlock; i += kLanes) {
      typename V::F x;
      load<V>(x, weights + i);
      sum += x;
    }
    std::memcpy(sums + lane, &sum, sizeof sum);
  }
}

/// sums[b] = the lanes of block b, one after the other. lanes: (kGroup, kLanes)
QUIRE_INLINE void add_lanes(const float* lanes, size_t count, float* sums) {
  float totals[kGroup] = {};
  for (size_t lane = 0; lane < kLanes; ++lane) {
    for (size_t b = 0; b < kGroup; ++b) totals[b] += lanes[b * kLanes + lane];
  }
  std::copy_n(totals, count, sums);
}

/// What the passes are given: whole blocks, and the last one filled up with masked logits.
struct Blocks {
  const float* logits;
  size_t count;  ///< Whole ones.
  std::array<float, kLogitBlock> last;
  bool has_last;

  explicit Blocks(std::span<const float> all)
      : logits(all.data()),
        count(all.size() / kLogitBlock),
        has_last(all.size() % kLogitBlock != 0) {
    last.fill(kMasked);
    std::copy(all.begin() + static_cast<std::ptrdiff_t>(count * kLogitBlock), all.end(),
              last.begin());
  }
  const float* operator[](size_t b) const {
    return b < count ? logits + b * kLogitBlock : last.data();
  }
  size_t size() const { return count + (has_last ? 1 : 0); }
};

template <class V>
QUIRE_INLINE bool scan_all(std::span<const float> logits, float* maxima) {
  const Blocks blocks(logits);
  typename V::Mask bad = {};
  for (size_t b = 0; b < blocks.size(); ++b) maxima[b] = scan_block<V>(blocks[b], bad);
  int32_t any = 0;
  for (size_t lane = 0; lane < V::kWidth; ++lane) any |= bad[lane];
  return any == 0;
}

/// The sums of `count` blocks. logits: (kGroup, kLogitBlock)
template <class V>
QUIRE_INLINE void sum_group(const float* logits, size_t count, SoftmaxWeight weight, float* sums) {
  static_assert(kGroupLogits % kRowLogits<V> == 0);
  alignas(64) float weights[kGroupLogits];
  for (size_t i = 0; i < kGroupLogits; i += kRowLogits<V>) {
    weigh_row<V>(logits + i, weight, weights + i);
  }
  alignas(64) float lanes[kGroup * kLanes];
  for (size_t b = 0; b < kGroup; ++b) sum_block<V>(weights + b * kLogitBlock, lanes + b * kLanes);
  add_lanes(lanes, count, sums);
}

template <class V>
QUIRE_INLINE void sum_all(std::span<const float> logits, SoftmaxWeight weight, float* sums) {
  for (; logits.size() >= kGroupLogits; logits = logits.subspan(kGroupLogits), sums += kGroup) {
    sum_group<V>(logits.data(), kGroup, weight, sums);
  }
  if (logits.empty()) return;
  float last[kGroupLogits];
  std::fill(std::copy(logits.begin(), logits.end(), last), std::end(last), kMasked);
  sum_group<V>(last, (logits.size() + kLogitBlock - 1) / kLogitBlock, weight, sums);
}

template <class V>
QUIRE_INLINE void weigh_all(std::span<const float> logits, SoftmaxWeight weight, float* weights,
                            int32_t* buckets) {
  size_t i = 0;
  for (; i + kRowLogits<V> <= logits.size(); i += kRowLogits<V>) {
    find_buckets<V>(logits.data() + i, weight, buckets + i);
    weigh_row<V>(logits.data() + i, weight, weights + i);
  }
  for (; i < logits.size(); ++i) {
    weights[i] = weight(logits[i]);
    buckets[i] = bucket_at((weight.max - logits[i]) * weight.inverse_temperature);
  }
}

/// Half as many numbers at once: doubles take twice the room.
template <class V>
QUIRE_INLINE double sum_block_kept(const float* weights, const int32_t* buckets, Kept kept) {
  using Half = Vec<V::kWidth / 2>;
  typename V::Doubles sum = {};
  for (size_t i = 0; i < kLogitBlock; i += Half::kWidth) {
    typename Half::F x;
    typename Half::Mask bucket;
    load<Half>(x, weights + i);
    std::memcpy(&bucket, buckets + i, sizeof bucket);
    const typename Half::Mask mask = (bucket < kept.edge) & (x >= kept.least);
    x = (typename Half::F)((typename Half::Mask)x & mask);
    sum += __builtin_convertvector(x, typename V::Doubles);
  }
  double total = sum[0];
  for (size_t lane = 1; lane < V::kWidth / 2; ++lane) total += sum[lane];
  return total;
}

template <class V>
QUIRE_INLINE void sum_all_kept(std::span<const float> weights, const int32_t* buckets, Kept kept,
                               double* sums) {
  const size_t count = weights.size() / kLogitBlock;
  for (size_t b = 0; b < count; ++b) {
    const size_t begin = b * kLogitBlock;
    sums[b] = sum_block_kept<V>(weights.data() + begin, buckets + begin, kept);
  }
  if (count * kLogitBlock == weights.size()) return;
  sums[count] = 0.0;
  for (size_t i = count * kLogitBlock; i < weights.size(); ++i) {
    if (kept.has(weights[i], buckets[i])) sums[count] += static_cast<double>(weights[i]);
  }
}

// One function for each pass and instruction set.

bool scan_plain(std::span<const float> logits, std::span<float> maxima) {
  return scan_all<Vec<4>>(logits, maxima.data());
}
void sum_plain(std::span<const float> logits, SoftmaxWeight weight, std::span<float> sums) {
  sum_all<Vec<4>>(logits, weight, sums.data());
}
void weigh_plain(std::span<const float> logits, SoftmaxWeight weight, std::span<float> weights,
                 std::span<int32_t> buckets) {
  weigh_all<Vec<4>>(logits, weight, weights.data(), buckets.data());
}
void sum_kept_plain(std::span<const float> weights, std::span<const int32_t> buckets, Kept kept,
                    std::span<double> sums) {
  sum_all_kept<Vec<4>>(weights, buckets.data(), kept, sums.data());
}
constexpr LogitPasses kPlain = {"plain",     scan_plain,     sum_plain,
                                weigh_plain, sum_kept_plain, part_plain};

#ifdef __x86_64__
[[gnu::target("avx2")]] bool scan_avx2(std::span<const float> logits, std::span<float> maxima) {
  return scan_all<Vec<8>>(logits, maxima.data());
}
[[gnu::target("avx2")]] void sum_avx2(std::span<const float> logits, SoftmaxWeight weight,
                                      std::span<float> sums) {
  sum_all<Vec<8>>(logits, weight, sums.data());
}
[[gnu::target("avx2")]] void weigh_avx2(std::span<const float> logits, SoftmaxWeight weight,
                                        std::span<float> weights, std::span<int32_t> buckets) {
  weigh_all<Vec<8>>(logits, weight, weights.data(), buckets.data());
}
[[gnu::target("avx2")]] void sum_kept_avx2(std::span<const float> weights,
                                           std::span<const int32_t> buckets, Kept kept,
                                           std::span<double> sums) {
  sum_all_kept<Vec<8>>(weights, buckets.data(), kept, sums.data());
}
constexpr LogitPasses kAvx2 = {"avx2", scan_avx2, sum_avx2, weigh_avx2, sum_kept_avx2, part_avx2};

[[gnu::target("avx512f")]] void sum_avx512(std::span<const float> logits, SoftmaxWeight weight,
                                           std::span<float> sums) {
  sum_all<Vec<16>>(logits, weight, sums.data());
}
[[gnu::target("avx512f")]] void weigh_avx512(std::span<const float> logits, SoftmaxWeight weight,
                                             std::span<float> weights, std::span<int32_t> buckets) {
  weigh_all<Vec<16>>(logits, weight, weights.data(), buckets.data());
}
[[gnu::target("avx512f")]] void sum_kept_avx512(std::span<const float> weights,
                                                std::span<const int32_t> buckets, Kept kept,
                                                std::span<double> sums) {
  sum_all_kept<Vec<16>>(weights, buckets.data(), kept, sums.data());
}
/// Bound by the caches, a scan gains nothing from wider vectors.
constexpr LogitPasses kAvx512 = {"avx512",     scan_avx2,       sum_avx512,
                                 weigh_avx512, sum_kept_avx512, part_avx512};

constexpr LogitPasses kAll[] = {kAvx512, kAvx2, kPlain};
#endif

}  // namespace

std::span<const LogitPasses> logit_passes() {
#ifdef __x86_64__
  // A name that is not supported is reported by the CPU backend.
  const Result<InstructionSet> chosen = chosen_instruction_set();
  const InstructionSet best = chosen ? *chosen : supported_instruction_sets().back();
  if (best >= InstructionSet::kAvx512) return kAll;
  if (best >= InstructionSet::kAvx2) return std::span(kAll).subspan(1);
#endif
  return {&kPlain, 1};
}

}  // namespace quire
