#pragma once

// GEMM with quantised activations for each dtype of weight, and the quantisation of
// activations; included only by the variants' sources.

#include <cstring>

#include "kernels/cpu/simd/int8_gemv_simd.h"
#include "kernels/cpu/simd/int8_tiles_simd.h"

namespace quire::cpu {
namespace {

template <class V, class Format>
void linear_int8_of(const LinearInt8& a) {
  if constexpr (requires { typename V::Tiles; }) {
    tile_gemm_int8<V, Format>(a);
  } else {
    static_assert(V::kFewRows < kLeastSlabRows);
    a.num_rows <= V::kFewRows ? gemv_int8<V, Format>(a) : gemm_int8<V, Format>(a);
  }
}

template <class V>
void linear_int8(const LinearInt8& a) {
  switch (a.dtype) {
    case DType::kQ4_0:
      return linear_int8_of<V, DecodeQ4_0>(a);
    case DType::kQ4_1:
      return linear_int8_of<V, DecodeQ4_1>(a);
    case DType::kQ5_0:
      return linear_int8_of<V, DecodeQ5_0>(a);
    case DType::kQ5_1:
      return linear_int8_of<V, DecodeQ5_1>(a);
    case DType::kQ8_0:
      return linear_int8_of<V, DecodeQ8_0>(a);
    case DType::kQ2_K:
      return linear_int8_of<V, DecodeQ2_K>(a);
    case DType::kQ3_K:
      return linear_int8_of<V, DecodeQ3_K>(a);
    case DType::kQ4_K:
      return linear_int8_of<V, DecodeQ4_K>(a);
    case DType::kQ5_K:
      return linear_int8_of<V, DecodeQ5_K>(a);
    case DType::kQ6_K:
      return linear_int8_of<V, DecodeQ6_K>(a);
    case DType::kIQ4_NL:
      return linear_int8_of<V, DecodeIQ4_NL>(a);
    case DType::kIQ4_XS:
      return linear_int8_of<V, DecodeIQ4_XS>(a);
    case DType::kMXFP4:
      return linear_int8_of<V, DecodeMXFP4>(a);
    default:
      return;
  }
}

/// Many rows by tiles; the variant that V extends computes few rows.
template <class V, const CpuKernels* (*kBase)()>
void linear_int8_by_tiles(const LinearInt8& a) {
  a.num_rows >= kLeastTileRows ? linear_int8<V>(a) : kBase()->linear_int8(a);
}

/// Quantises 32 inputs. x - x is zero if x is finite, and otherwise NaN.
template <class V>
inline void quantize_group(Int8Chunk& out, int group, const float* x) {
  typename V::F most = V::zero();
  typename V::F broken = V::zero();
  for (int i = 0; i < 32; i += V::kWidth) {
    const typename V::F part = V::load(x + i);
    most = V::max(V::abs(part), most);
    broken = V::add(broken, V::sub(part, part));
  }
  constexpr float kLeast = 1e-30f;  // Its inverse times 127 is a float yet.
  const float largest = V::reduce_max(most);
  const typename V::F inverse = V::set1(largest > kLeast ? 127.0f / largest : 0.0f);
  out.scales[group] = largest / 127.0f + V::reduce_add(broken);
  int8_t* const codes = out.codes + 32 * group;
  for (int half = 0; half < 2; ++half) {
    typename V::F sum = V::zero();  // Of integers, so exact.
    for (int i = 16 * half; i < 16 * half + 16; i += V::kWidth) {
      const typename V::F code = V::round(V::mul(V::load(x + i), inverse));
      V::store_codes(codes + i, code);
      sum = V::add(sum, code);
    }
    const bool is_finite = out.scales[group] == out.scales[group];
    out.sums[2 * group + half] = is_finite ? static_cast<int16_t>(V::reduce_add(sum)) : int16_t{0};
  }
}

template <class V>
void quantize_row(Int8Chunk* out, int64_t stride, const float* x, int64_t n) {
  constexpr int kGroups = kChunkInputs / 32;
  for (int64_t group = 0; group * 32 < (n + kChunkInputs - 1) / kChunkInputs * kChunkInputs;
       ++group) {
    Int8Chunk& chunk = out[group / kGroups * stride];
    alignas(64) float padded[32] = {};
    const int64_t left = n - group * 32;
    if (left >= 32) {
      quantize_group<V>(chunk, static_cast<int>(group % kGroups), x + group * 32);
      continue;
    }
    if (left > 0) std::memcpy(padded, x + group * 32, static_cast<size_t>(left) * sizeof(float));
    quantize_group<V>(chunk, static_cast<int>(group % kGroups), padded);
  }
}

}  // namespace
}  // namespace quire::cpu
