#pragma once

// Operations on single rows, templated on the vector; included only by the variants' sources.

#include <cmath>

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/simd/math_simd.h"

namespace quire::cpu {
namespace {

/// fn(i, count) for each vector of the row; count is the width except for the last.
template <class V, class Fn>
inline void for_each_vector(int64_t n, Fn fn) {
  int64_t i = 0;
  for (; i + V::kWidth <= n; i += V::kWidth) fn(i, V::kWidth);
  if (i < n) fn(i, static_cast<int>(n - i));
}

template <class V>
void widen_row(float* out, const void* row, DType dtype, int64_t n, float scale) {
  const typename V::F factor = V::set1(scale);
  const auto* const floats = static_cast<const float*>(row);
  const auto* const halves = static_cast<const uint16_t*>(row);
  for_each_vector<V>(n, [&](int64_t i, int count) {
    const typename V::F x = dtype == DType::kF32    ? V::load_n(floats + i, count)
                            : dtype == DType::kBF16 ? V::load_bf16_n(halves + i, count)
                                                    : V::load_f16_n(halves + i, count);
    V::store_n(out + i, V::mul(x, factor), count);
  });
}

template <class V>
void narrow_row(void* out, DType dtype, const float* x, int64_t n) {
  auto* const floats = static_cast<float*>(out);
  auto* const halves = static_cast<uint16_t*>(out);
  for_each_vector<V>(n, [&](int64_t i, int count) {
    const typename V::F v = V::load_n(x + i, count);
    if (dtype == DType::kF32) {
      V::store_n(floats + i, v, count);
    } else if (dtype == DType::kBF16) {
      V::store_bf16_n(halves + i, v, count);
    } else {
      V::store_f16_n(halves + i, v, count);
    }
  });
}

/// The scale of narrow_row_i8. A number that is not finite times zero is NaN, and so is the sum.
template <class V>
inline float scale_of_row(const float* x, int64_t n) {
  typename V::F largest = V::zero();
  typename V::F not_finite = V::zero();
  for_each_vector<V>(n, [&](int64_t i, int count) {
    const typename V::F v = V::load_n(x + i, count);
    largest = V::max(largest, V::abs(v));
    not_finite = V::fma(v, V::zero(), not_finite);
  });
  const float scale = V::reduce_max(largest) / 127.0f;
  return V::reduce_add(not_finite) == 0.0f ? scale : __builtin_nanf("");
}

template <class V>
float narrow_row_i8(int8_t* out, const float* x, int64_t n) {
  const float scale = scale_of_row<V>(x, n);
  if (!(scale > 0.0f)) {
    __builtin_memset(out, 0, static_cast<size_t>(n));
    return scale;
  }
  const typename V::F divisor = V::set1(scale);
  const typename V::F most = V::set1(127.0f);
  const typename V::F least = V::set1(-127.0f);
  for_each_vector<V>(n, [&](int64_t i, int count) {
    // The quotient can be beyond 127 where the scale is subnormal.
    const typename V::F quotient = V::div(V::load_n(x + i, count), divisor);
    alignas(64) int8_t codes[V::kWidth];
    V::store_codes(codes, V::round(V::max(V::min(quotient, most), least)));
    __builtin_memcpy(out + i, codes, static_cast<size_t>(count));
  });
  return scale;
}

/// The sum over x of what fn adds: four independent sums, since shorter chains of additions have
/// smaller errors and overlap in time.
template <class V, class Fn>
inline float sum_of(const float* x, int64_t n, Fn fn) {
  typename V::F sums[4] = {V::zero(), V::zero(), V::zero(), V::zero()};
  for_each_vector<V>(n, [&](int64_t i, int count) {
    const int64_t which = (i / V::kWidth) % 4;
    sums[which] = fn(V::load_n(x + i, count), sums[which]);
  });
  return V::reduce_add(V::add(V::add(sums[0], sums[1]), V::add(sums[2], sums[3])));
}

template <class V>
inline float sum_of_squares(const float* x, int64_t n) {
  using F = typename V::F;
  return sum_of<V>(x, n, [](F v, F sum) { return V::fma(v, v, sum); });
}

template <class V>
void rms_norm_row(float* out, const float* x, const float* weight, int64_t n, float eps) {
  const float inverse = 1.0f / sqrtf(sum_of_squares<V>(x, n) / static_cast<float>(n) + eps);
  const typename V::F factor = V::set1(inverse);
  for_each_vector<V>(n, [&](int64_t i, int count) {
    const typename V::F v = V::mul(V::load_n(x + i, count), factor);
    V::store_n(out + i, V::mul(v, V::load_n(weight + i, count)), count);
  });
}

template <class V>
void layer_norm_row(float* out, const float* x, const float* weight, const float* bias, int64_t n,
                    float eps) {
  using F = typename V::F;
  const auto size = static_cast<float>(n);
  const F mean = V::set1(sum_of<V>(x, n, [](F v, F sum) { return V::add(sum, v); }) / size);
  // Stored first, because the difference of what a last vector lacks is not zero.
  for_each_vector<V>(n, [&](int64_t i, int count) {
    V::store_n(out + i, V::sub(V::load_n(x + i, count), mean), count);
  });
  // What the mean's rounding left.
  const float rest = sum_of<V>(out, n, [](F v, F sum) { return V::add(sum, v); }) / size;
  const float squares = sum_of_squares<V>(out, n) / size;
  const F factor = V::set1(1.0f / sqrtf(squares - rest * rest + eps));
  const F shift = V::set1(rest);
  for_each_vector<V>(n, [&](int64_t i, int count) {
    const F v = V::mul(V::sub(V::load_n(out + i, count), shift), factor);
    const F scaled = V::mul(v, V::load_n(weight + i, count));
    V::store_n(out + i, bias == nullptr ? scaled : V::add(scaled, V::load_n(bias + i, count)),
               count);
  });
}

template <class V>
void add_row(float* x, const float* y, int64_t n) {
  for_each_vector<V>(n, [&](int64_t i, int count) {
    V::store_n(x + i, V::add(V::load_n(x + i, count), V::load_n(y + i, count)), count);
  });
}

/// gate / (1 + exp(-slope)) * up, the form of all three gated activations.
template <class V>
inline typename V::F gated(typename V::F gate, typename V::F slope, typename V::F up) {
  const typename V::F e = exp_vector<V>(V::sub(V::zero(), slope));
  return V::mul(V::div(gate, V::add(V::set1(1.0f), e)), up);
}

template <class V>
void silu_glu_row(float* out, const float* gate, const float* up, int64_t n) {
  for_each_vector<V>(n, [&](int64_t i, int count) {
    const typename V::F g = V::load_n(gate + i, count);
    V::store_n(out + i, gated<V>(g, g, V::load_n(up + i, count)), count);
  });
}

/// (1 + tanh(y)) / 2 is 1 / (1 + exp(-2 y)), which does not cancel for negative y.
template <class V>
void gelu_glu_row(float* out, const float* gate, const float* up, int64_t n) {
  const typename V::F linear = V::set1(kGeluLinear);
  const typename V::F cubic = V::set1(kGeluCubic);
  for_each_vector<V>(n, [&](int64_t i, int count) {
    const typename V::F g = V::load_n(gate + i, count);
    const typename V::F slope = V::mul(g, V::fma(V::mul(g, g), cubic, linear));
    V::store_n(out + i, gated<V>(g, slope, V::load_n(up + i, count)), count);
  });
}

template <class V>
void clamped_swiglu_row(float* out, const float* gate, const float* up, int64_t n, float limit,
                        float alpha) {
  const typename V::F most = V::set1(limit);
  const typename V::F least = V::set1(-limit);
  for_each_vector<V>(n, [&](int64_t i, int count) {
    // min and max return the second operand if it is NaN.
    const typename V::F g = V::min(most, V::load_n(gate + i, count));
    const typename V::F u = V::max(least, V::min(most, V::load_n(up + i, count)));
    const typename V::F slope = V::mul(g, V::set1(alpha));
    V::store_n(out + i, gated<V>(g, slope, V::add(u, V::set1(1.0f))), count);
  });
}

/// x[i] = fn(x[i]).
template <class V, class Fn>
inline void map_row(float* x, int64_t n, Fn fn) {
  for_each_vector<V>(
      n, [&](int64_t i, int count) { V::store_n(x + i, fn(V::load_n(x + i, count)), count); });
}

/// A comparison with NaN is false, so NaN stays.
template <class V>
void relu_row(float* x, int64_t n) {
  using F = typename V::F;
  map_row<V>(x, n, [](F v) { return V::select_less(v, V::zero(), V::zero(), v); });
}

template <class V>
void squared_relu_row(float* x, int64_t n) {
  using F = typename V::F;
  map_row<V>(x, n, [](F v) { return V::select_less(v, V::zero(), V::zero(), V::mul(v, v)); });
}

template <class V>
void silu_row(float* x, int64_t n) {
  using F = typename V::F;
  map_row<V>(x, n, [](F v) { return gated<V>(v, v, V::set1(1.0f)); });
}

template <class V>
void gelu_row(float* x, int64_t n) {
  using F = typename V::F;
  map_row<V>(x, n, [](F v) { return V::mul(v, normal_probability<V>(v)); });
}

template <class V>
void gelu_tanh_row(float* x, int64_t n) {
  using F = typename V::F;
  map_row<V>(x, n, [](F v) {
    const F inner = V::fma(V::mul(v, v), V::set1(kGeluCubic), V::set1(kGeluLinear));
    return gated<V>(v, V::mul(v, inner), V::set1(1.0f));
  });
}

template <class V>
void xielu_row(float* x, int64_t n, float positive, float negative, float beta, float eps) {
  using F = typename V::F;
  map_row<V>(x, n, [=](F v) {
    const F above = V::mul(V::mul(v, v), V::set1(positive));
    const F least = V::min(V::set1(eps), v);
    const F rest = V::add(exp_minus_1_and_x<V>(least), V::sub(least, v));
    const F below = V::mul(rest, V::set1(negative));
    return V::fma(v, V::set1(beta), V::select_less(V::zero(), v, above, below));
  });
}

template <class V>
void gate_row(float* x, const float* gate, int64_t stride, int64_t n) {
  using F = typename V::F;
  const F one = V::set1(gate[0]);
  for_each_vector<V>(n, [&](int64_t i, int count) {
    const F g = stride == 0 ? one : V::load_n(gate + i, count);
    V::store_n(x + i, gated<V>(V::load_n(x + i, count), g, V::set1(1.0f)), count);
  });
}

template <class V>
void soft_cap_row(float* x, int64_t n, float cap) {
  const typename V::F limit = V::set1(cap);
  for_each_vector<V>(n, [&](int64_t i, int count) {
    const typename V::F v = V::div(V::load_n(x + i, count), limit);
    V::store_n(x + i, V::mul(limit, tanh_vector<V>(v)), count);
  });
}

template <class V>
void rotate_head(float* x, const float* cos, const float* sin, int64_t half) {
  for_each_vector<V>(half, [&](int64_t i, int count) {
    const typename V::F a = V::load_n(x + i, count);
    const typename V::F b = V::load_n(x + half + i, count);
    const typename V::F c = V::load_n(cos + i, count);
    const typename V::F s = V::load_n(sin + i, count);
    V::store_n(x + i, V::sub(V::mul(a, c), V::mul(b, s)), count);
    V::store_n(x + half + i, V::add(V::mul(b, c), V::mul(a, s)), count);
  });
}

}  // namespace
}  // namespace quire::cpu
