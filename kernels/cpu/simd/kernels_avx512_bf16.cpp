// The AVX-512 BF16 variant: its own GEMM and attention in bf16; otherwise as the AVX-512 VBMI
// variant. Built with instruction flags of its own: all of its code is in unnamed namespaces, and
// it calls only C functions of the standard library.

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/simd/attention_simd.h"
#include "kernels/cpu/simd/bf16_simd.h"
#include "kernels/cpu/simd/vec_avx512.h"
#include "kernels/cpu/simd/vec_vnni.h"

namespace quire::cpu {

const CpuKernels* avx512_bf16_kernels() {
  static const CpuKernels kKernels = [] {
    CpuKernels kernels = *avx512_vbmi_kernels();
    kernels.name = "avx512_bf16";
    kernels.label = "AVX-512 BF16";
    kernels.linear_bf16 = linear_bf16<VecAvx512Bf16>;
    kernels.attention = attention_extending<VecAvx512Bf16, avx512_vnni_kernels>;
    kernels.attention_blocks = attention_blocks_extending<VecAvx512Bf16, avx512_vnni_kernels>;
    return kernels;
  }();
  return &kKernels;
}

}  // namespace quire::cpu
