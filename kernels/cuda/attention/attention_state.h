#pragma once

#include "kernels/cuda/attention/attention_layout.h"
#include "kernels/cuda/device/numeric.h"

/// The softmax of a row over some of its keys, in log2 units: the largest score m, the sum l of
/// 2^(score - m), and o, the sum of values weighted alike. No keys: m = -inf, l = 0, o = 0.
namespace quire::cuda {

inline constexpr float kLog2E = 1.44269504088896340736f;

__device__ __forceinline__ float minus_infinity() {
  return __int_as_float(static_cast<int>(0xff800000u));
}

/// The base of weights: m, or 0 if no key was seen, because -inf - -inf would be NaN.
__device__ __forceinline__ float softmax_base(float m) {
  return m == minus_infinity() ? 0.0f : m;
}

/// The fold of two states: fold_value scales and adds l and each o.
struct Fold {
  float m;
  float of_first;
  float of_second;
};

/// Every fold of splits uses these two functions, so that all give the same bits. An empty state
/// changes nothing: its factor is 2^-inf = 0, and the other factor is 2^0 = 1, both exact.
template <bool kExact>
__device__ __forceinline__ Fold fold_states(float first_m, float second_m) {
  const float m = fmaxf(first_m, second_m);
  const float base = softmax_base(m);
  if constexpr (kExact) return {m, exp2f(first_m - base), exp2f(second_m - base)};
  return {m, fast_exp2(first_m - base), fast_exp2(second_m - base)};
}
__device__ __forceinline__ float fold_value(const Fold& fold, float first, float second) {
  return fmaf(first, fold.of_first, __fmul_rn(second, fold.of_second));
}

/// The factor of the sums of values in the result.
__device__ __forceinline__ float inverse_weight(float l) {
  return l > 0.0f ? __frcp_rn(l) : 0.0f;
}
/// Adding 0 turns -0 into 0. How often zeros are added to the sums of a row depends on the other
/// rows of its tile, and may change the sign of a zero but nothing else.
__device__ __forceinline__ float normalised(float o, float inverse_l) {
  return __fmul_rn(o, inverse_l) + 0.0f;
}

/// m and l before the first key: a sink is a key with that score and a value of zero.
__device__ __forceinline__ float2 initial_weights(const float* sinks, int head) {
  const float score = sinks != nullptr ? __fmul_rn(sinks[head], kLog2E) : minus_infinity();
  return make_float2(score, score == minus_infinity() ? 0.0f : 1.0f);
}

/// The first key that a row at that position sees.
__device__ __forceinline__ int first_key(int position, KeySpan span) {
  const int in_window = span.sliding_window > 0 ? max(0, position + 1 - span.sliding_window) : 0;
  if (span.chunk_size == 0) return in_window;
  return max(in_window, position / span.chunk_size * span.chunk_size);
}

}  // namespace quire::cuda
