#pragma once

// All kernels for one vector; included only by the variants' sources.

#include "kernels/cpu/simd/attention_simd.h"
#include "kernels/cpu/simd/bf16_simd.h"
#include "kernels/cpu/simd/int8_simd.h"
#include "kernels/cpu/simd/linear_types_simd.h"
#include "kernels/cpu/simd/rows_simd.h"

namespace quire::cpu {
namespace {

template <class V>
constexpr auto bf16_kernel() -> void (*)(const LinearBf16&) {
  if constexpr (requires { V::kBf16Rows; }) {
    return linear_bf16<V>;
  } else {
    return nullptr;
  }
}

template <class V>
constexpr int64_t rounded_block_rows() {
  if constexpr (requires { typename V::Tiles; }) {
    return kTileBlockRows;
  } else {
    return kBlockRows;
  }
}

template <class V>
constexpr CpuKernels kernels_of(const char* name, const char* label) {
  return {.name = name,
          .label = label,
          .max_direct_rows = V::kDirectRows,
          .max_direct_rows_quantized = V::kDecodeRows,
          .rounded_block_rows = rounded_block_rows<V>(),
          .linear_rows = linear_rows<V>,
          .linear_block = linear_block<V>,
          .linear_int8 = linear_int8<V>,
          .linear_bf16 = bf16_kernel<V>(),
          .round_inputs = round_inputs<V>,
          .attention = attention<V>,
          .attention_blocks = attention_blocks<V>,
          .attention_fold = attention_fold<V>,
          .widen_row = widen_row<V>,
          .narrow_row = narrow_row<V>,
          .narrow_row_i8 = narrow_row_i8<V>,
          .rms_norm_row = rms_norm_row<V>,
          .add_row = add_row<V>,
          .silu_glu_row = silu_glu_row<V>,
          .gelu_glu_row = gelu_glu_row<V>,
          .clamped_swiglu_row = clamped_swiglu_row<V>,
          .soft_cap_row = soft_cap_row<V>,
          .rotate_head = rotate_head<V>};
}

}  // namespace
}  // namespace quire::cpu
