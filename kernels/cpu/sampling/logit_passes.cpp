// The passes over a whole vocabulary in vectors of four, eight or sixteen: what is done to a logit,
// and the order in which weights are added, do not depend on the width.

#include "kernels/cpu/sampling/logit_passes.h"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cstring>

#include "kernels/base/instruction_set.h"
#include "kernels/base/softmax_weight.h"

namespace quire::cpu {
namespace {

/// N floats, the compiler's vector of a size that the instruction set has.
template <size_t N>
struct Vec {
  static constexpr size_t kWidth = N;
  using F [[gnu::vector_size(N * sizeof(float))]] = float;
  using U [[gnu::vector_size(N * sizeof(float))]] = uint32_t;
  /// Of a comparison: each lane is all ones or all zeros.
  using Mask [[gnu::vector_size(N * sizeof(float))]] = int32_t;
};

// Always inlined, into functions for one instruction set each.
#define QUIRE_INLINE [[gnu::always_inline]] inline

template <class V>
QUIRE_INLINE void load(typename V::F& to, const float* from) {
  std::memcpy(&to, from, sizeof to);
}

/// Vectors whose weights are computed side by side. One weight is a chain of some twenty dependent
/// operations; a processor holds a hundred in flight, fewer where two threads share a core.
template <class V>
constexpr size_t kSideBySide = V::kWidth == 16 ? 8 : 4;
template <class V>
constexpr size_t kRowLogits = kSideBySide<V>* V::kWidth;
template <class V>
using Row = typename V::F[kSideBySide<V>];

/// Keeps the compiler from moving this value's computation: it would compute one vector's whole
/// chain before the next one's. Clang checks the register against the instructions of this
/// function, and not of the one that it is inlined into.
template <class F>
QUIRE_INLINE void keep_in_place([[maybe_unused]] F& x) {
#if defined(__clang__)
#elif defined(__x86_64__)
  asm("" : "+v"(x));
#elif defined(__aarch64__)
  asm("" : "+w"(x));
#endif
}

/// exp_nonpositive() of each lane: the same operations, the same bits.
template <class V>
QUIRE_INLINE void exp_lanes(Row<V>& x) {
  using F = typename V::F;
  using U = typename V::U;
  constexpr size_t kSize = kSideBySide<V>;
  constexpr float kRound = 12582912.0f;
  constexpr float kTerms[] = {1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f,
                              1.6666665459e-1f, 5.0000001201e-1f};
  Row<V> shifted;
  Row<V> r;
  Row<V> poly;
#pragma GCC unroll 8
  for (size_t i = 0; i < kSize; ++i) {
    shifted[i] = x[i] * 1.44269504f + kRound;
    const F n = shifted[i] - kRound;
    r[i] = (x[i] - n * 0.693359375f) - n * -2.12194440e-4f;
    poly[i] = F{} + 1.9875691500e-4f;
    keep_in_place(r[i]);
  }
#pragma GCC unroll 8
  for (const float term : kTerms) {
#pragma GCC unroll 8
    for (size_t i = 0; i < kSize; ++i) {
      poly[i] = poly[i] * r[i] + term;
      keep_in_place(poly[i]);
    }
  }
#pragma GCC unroll 8
  for (size_t i = 0; i < kSize; ++i) {
    poly[i] = poly[i] * r[i] * r[i] + r[i] + 1.0f;
    const typename V::Mask kept = x[i] >= -87.0f;
    x[i] = (F)(((U)poly[i] + ((U)shifted[i] << 23)) & (U)kept);
  }
}

/// weights[i] = weight(logits[i]) for kRowLogits of them.
template <class V>
QUIRE_INLINE void weigh_row(const float* logits, SoftmaxWeight weight, float* weights) {
  Row<V> x;
#pragma GCC unroll 8
  for (size_t i = 0; i < kSideBySide<V>; ++i) {
    load<V>(x[i], logits + i * V::kWidth);
    x[i] = (x[i] - weight.max) * weight.inverse_temperature;
  }
  exp_lanes<V>(x);
#pragma GCC unroll 8
  for (size_t i = 0; i < kSideBySide<V>; ++i) {
    std::memcpy(weights + i * V::kWidth, &x[i], sizeof x[i]);
  }
}

/// The bucket of a logit by its distance from the largest.
QUIRE_INLINE int32_t bucket_at(float distance) {
  return static_cast<int32_t>(std::min(distance * kBucketsPerE, kNumBuckets - 1.0f));
}

/// The buckets of kRowLogits logits.
template <class V>
QUIRE_INLINE void find_buckets(const float* logits, SoftmaxWeight weight, int32_t* buckets) {
  using F = typename V::F;
  for (size_t i = 0; i < kRowLogits<V>; i += V::kWidth) {
    F x;
    load<V>(x, logits + i);
    const F steps = (x - weight.max) * weight.inverse_temperature * -kBucketsPerE;
    const F last = F{} + (kNumBuckets - 1.0f);
    const F limited = steps < last ? steps : last;
    const auto numbers = __builtin_convertvector(limited, typename V::Mask);
    std::memcpy(buckets + i, &numbers, sizeof numbers);
  }
}

/// Running sums of a block.
constexpr size_t kLanes = 16;
/// Blocks whose lanes are added up together: one block's additions wait for each other.
constexpr size_t kGroup = 8;
constexpr size_t kGroupLogits = kGroup * kLogitBlock;

/// The largest of a block; logits that are not numbers below infinity set bits in `bad`.
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

/// A pass's logits in blocks; the last one is padded with masked logits.
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
constexpr LogitPasses kPlain = {"plain", scan_plain, sum_plain, weigh_plain};

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
constexpr LogitPasses kAvx2 = {"avx2", scan_avx2, sum_avx2, weigh_avx2};

[[gnu::target("avx512f")]] void sum_avx512(std::span<const float> logits, SoftmaxWeight weight,
                                           std::span<float> sums) {
  sum_all<Vec<16>>(logits, weight, sums.data());
}
[[gnu::target("avx512f")]] void weigh_avx512(std::span<const float> logits, SoftmaxWeight weight,
                                             std::span<float> weights, std::span<int32_t> buckets) {
  weigh_all<Vec<16>>(logits, weight, weights.data(), buckets.data());
}
/// Bound by the caches, a scan gains nothing from wider vectors.
constexpr LogitPasses kAvx512 = {"avx512", scan_avx2, sum_avx512, weigh_avx512};

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

}  // namespace quire::cpu
