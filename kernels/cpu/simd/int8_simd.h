#pragma once

// GEMM with quantised activations for each dtype of weight, and the quantisation of activations;
// included only by the variants' sources.

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
    static_assert(V::kFewRows <= kMostGemvRows && kMostGemvRows < kLeastSlabRows);
    const bool are_few = a.num_rows <= V::kFewRows && a.num_rows <= a.tuning.gemv_rows;
    are_few ? gemv_int8<V, Format>(a) : gemm_int8<V, Format>(a);
  }
}

template <class V>
void linear_int8(const LinearInt8& a) {
  // By DType's order, from kQ4_0 on; the last two have no integer codes.
  static constexpr void (*kFunctions[])(const LinearInt8&) = {
      linear_int8_of<V, DecodeQ4_0>,     linear_int8_of<V, DecodeQ4_1>,
      linear_int8_of<V, DecodeQ5_0>,     linear_int8_of<V, DecodeQ5_1>,
      linear_int8_of<V, DecodeQ8_0>,     linear_int8_of<V, DecodeQ2_K>,
      linear_int8_of<V, DecodeQ3_K>,     linear_int8_of<V, DecodeQ4_K>,
      linear_int8_of<V, DecodeQ5_K>,     linear_int8_of<V, DecodeQ6_K>,
      linear_int8_of<V, DecodeIQ4_NL>,   linear_int8_of<V, DecodeIQ4_XS>,
      linear_int8_of<V, DecodeMXFP4>,    linear_int8_of<V, DecodeIQ2_XXS>,
      linear_int8_of<V, DecodeIQ2_XS>,   linear_int8_of<V, DecodeIQ2_S>,
      linear_int8_of<V, DecodeIQ3_XXS>,  linear_int8_of<V, DecodeIQ3_S>,
      linear_int8_of<V, DecodeIQ1_S>,    linear_int8_of<V, DecodeIQ1_M>,
      linear_int8_of<V, DecodeTQ1_0>,    linear_int8_of<V, DecodeTQ2_0>,
      linear_int8_of<V, DecodeNVFP4>,    linear_int8_of<V, DecodeQ1_0>,
      linear_int8_of<V, DecodeQ2_0>,     linear_int8_of<V, DecodeInt4<32>>,
      linear_int8_of<V, DecodeInt4<64>>, linear_int8_of<V, DecodeInt4<128>>,
      linear_int8_of<V, DecodeInt8>};
  kFunctions[static_cast<int>(a.dtype) - static_cast<int>(DType::kQ4_0)](a);
}

/// Many rows by tiles, few rows by the variant that V extends.
template <class V, const CpuKernels* (*kBase)()>
void linear_int8_by_tiles(const LinearInt8& a) {
  a.num_rows >= kLeastTileRows ? linear_int8<V>(a) : kBase()->linear_int8(a);
}

/// Quantises 32 inputs. x - x is zero if x is finite, otherwise NaN.
template <class V>
inline void quantize_group(Int8Chunk& out, int group, const float* x) {
  typename V::F most = V::zero();
  typename V::F broken = V::zero();
  for (int i = 0; i < 32; i += V::kWidth) {
    const typename V::F part = V::load(x + i);
    most = V::max(V::abs(part), most);
    broken = V::add(broken, V::sub(part, part));
  }
  constexpr float kLeast = 1e-30f;  // 127 times its inverse does not overflow.
  const float largest = V::reduce_max(most);
  const typename V::F inverse = V::set1(largest > kLeast ? 127.0f / largest : 0.0f);
  out.scales[group] = largest / 127.0f + V::reduce_add(broken);
  int8_t* const codes = out.codes + 32 * group;
  for (int half = 0; half < 2; ++half) {
    typename V::F sum = V::zero();  // A sum of integers is exact.
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
