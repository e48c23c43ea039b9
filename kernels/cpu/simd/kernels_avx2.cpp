// The AVX2 variant. Built with instruction flags of its own: everything it compiles lives in
// unnamed namespaces, and it calls nothing from the standard library but C functions.

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/simd/attention_simd.h"
#include "kernels/cpu/simd/linear_types_simd.h"
#include "kernels/cpu/simd/rows_simd.h"
#include "kernels/cpu/simd/vec_avx2.h"

namespace quire::cpu {

const CpuKernels* avx2_kernels() {
  static constexpr CpuKernels kKernels = {
      .name = "avx2",
      .label = "AVX2",
      .max_direct_rows = VecAvx2::kDirectRows,
      .max_direct_rows_quantized = VecAvx2::kDecodeRows,
      .linear_rows = linear_rows<VecAvx2>,
      .linear_block = linear_block<VecAvx2>,
      .attention = attention<VecAvx2>,
      .attention_blocks = attention_blocks<VecAvx2>,
      .attention_fold = attention_fold<VecAvx2>,
      .widen_row = widen_row<VecAvx2>,
      .narrow_row = narrow_row<VecAvx2>,
      .rms_norm_row = rms_norm_row<VecAvx2>,
      .add_row = add_row<VecAvx2>,
      .silu_glu_row = silu_glu_row<VecAvx2>,
      .gelu_glu_row = gelu_glu_row<VecAvx2>,
      .clamped_swiglu_row = clamped_swiglu_row<VecAvx2>,
      .soft_cap_row = soft_cap_row<VecAvx2>,
      .rotate_head = rotate_head<VecAvx2>,
  };
  return &kKernels;
}

}  // namespace quire::cpu
