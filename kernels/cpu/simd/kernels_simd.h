#pragma once

// All kernels for one vector; included only by the sources of variants that extend no other.

#include "kernels/cpu/simd/attention_simd.h"
#include "kernels/cpu/simd/int8_simd.h"
#include "kernels/cpu/simd/linear_simd.h"
#include "kernels/cpu/simd/recurrent_simd.h"
#include "kernels/cpu/simd/rows_simd.h"

namespace quire::cpu {
namespace {

template <class V>
constexpr CpuKernels kernels_of(const char* name, const char* label) {
  return {.name = name,
          .label = label,
          .max_direct_rows = V::kDirectRows,
          .block_rows = kBlockRows,
          .linear_rows = linear_rows<V>,
          .linear_block = linear_block<V>,
          .linear_int8 = linear_int8<V>,
          .linear_bf16 = nullptr,
          .quantize_row = quantize_row<V>,
          .attention = attention<V>,
          .attention_blocks = attention_blocks<V>,
          .attention_fold = attention_fold<V>,
          .widen_row = widen_row<V>,
          .narrow_row = narrow_row<V>,
          .narrow_row_i8 = narrow_row_i8<V>,
          .rms_norm_row = rms_norm_row<V>,
          .layer_norm_row = layer_norm_row<V>,
          .add_row = add_row<V>,
          .silu_glu_row = silu_glu_row<V>,
          .gelu_glu_row = gelu_glu_row<V>,
          .clamped_swiglu_row = clamped_swiglu_row<V>,
          .relu_row = relu_row<V>,
          .squared_relu_row = squared_relu_row<V>,
          .silu_row = silu_row<V>,
          .gelu_row = gelu_row<V>,
          .gelu_tanh_row = gelu_tanh_row<V>,
          .xielu_row = xielu_row<V>,
          .gate_row = gate_row<V>,
          .soft_cap_row = soft_cap_row<V>,
          .multiply_row = multiply_row<V>,
          .gated_norm_row = gated_norm_row<V>,
          .causal_conv = causal_conv<V>,
          .gated_delta = gated_delta<V>,
          .mamba2_scan = mamba2_scan<V>,
          .rotate_head = rotate_head<V>};
}

}  // namespace
}  // namespace quire::cpu
