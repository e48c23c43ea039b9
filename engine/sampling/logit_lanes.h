#pragma once

// Logits in vectors of four, eight or sixteen; included only by the sources of passes. What is done
// to a logit does not depend on the width.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

#include "engine/sampling/logit_passes.h"

namespace quire {
namespace {

/// N floats, the compiler's vector of a size that the instruction set has.
template <size_t N>
struct Vec {
  static constexpr size_t kWidth = N;
  using F [[gnu::vector_size(N * sizeof(float))]] = float;
  using U [[gnu::vector_size(N * sizeof(float))]] = uint32_t;
  /// Of a comparison: all ones or all zeros a lane.
  using Mask [[gnu::vector_size(N * sizeof(float))]] = int32_t;
  /// Half as many.
  using Doubles [[gnu::vector_size(N * sizeof(float))]] = double;
};

// Always inlined, into functions for one instruction set each.
#define QUIRE_INLINE [[gnu::always_inline]] inline

template <class V>
QUIRE_INLINE void load(typename V::F& to, const float* from) {
  std::memcpy(&to, from, sizeof to);
}

/// Vectors that are weighed side by side. A weight is a chain of some twenty operations that wait
/// for each other; a processor holds a hundred that wait, fewer where two threads share a core.
template <class V>
constexpr size_t kSideBySide = V::kWidth == 16 ? 8 : 4;
template <class V>
constexpr size_t kRowLogits = kSideBySide<V>* V::kWidth;
template <class V>
using Row = typename V::F[kSideBySide<V>];

/// Computed where it stands: the compiler would compute one vector's whole chain before the next's.
template <class F>
QUIRE_INLINE void in_step(F& x) {
#if defined(__x86_64__)
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
    in_step(r[i]);
  }
#pragma GCC unroll 8
  for (const float term : kTerms) {
#pragma GCC unroll 8
    for (size_t i = 0; i < kSize; ++i) {
      poly[i] = poly[i] * r[i] + term;
      in_step(poly[i]);
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

/// The bucket of a logit that is so far below the largest.
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

}  // namespace
}  // namespace quire
