// The AVX-512 variant. Built with instruction flags of its own: everything it compiles lives in
// unnamed namespaces, and it calls nothing from the standard library but C functions.

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/simd/attention_simd.h"
#include "kernels/cpu/simd/linear_types_simd.h"
#include "kernels/cpu/simd/rows_simd.h"
#include "kernels/cpu/simd/vec_avx512.h"

namespace quire::cpu {

const CpuKernels* avx512_kernels() {
  static constexpr CpuKernels kKernels = {
      .name = "avx512",
      .label = "AVX-512",
      .max_direct_rows = VecAvx512::kDirectRows,
      .max_direct_rows_quantized = VecAvx512::kDecodeRows,
      .linear_rows = linear_rows<VecAvx512>,
      .linear_block = linear_block<VecAvx512>,
      .attention = attention<VecAvx512>,
      .attention_blocks = attention_blocks<VecAvx512>,
      .attention_fold = attention_fold<VecAvx512>,
      .widen_row = widen_row<VecAvx512>,
      .narrow_row = narrow_row<VecAvx512>,
      .rms_norm_row = rms_norm_row<VecAvx512>,
      .add_row = add_row<VecAvx512>,
      .silu_glu_row = silu_glu_row<VecAvx512>,
      .gelu_glu_row = gelu_glu_row<VecAvx512>,
      .clamped_swiglu_row = clamped_swiglu_row<VecAvx512>,
      .soft_cap_row = soft_cap_row<VecAvx512>,
      .rotate_head = rotate_head<VecAvx512>,
  };
  return &kKernels;
}

}  // namespace quire::cpu
