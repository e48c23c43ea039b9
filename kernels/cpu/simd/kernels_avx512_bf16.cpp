// The AVX-512 with VNNI and BF16 variant: products and attention of bf16 of its own, for the rest
// the AVX-512 VNNI variant. Built with instruction flags of its own: everything it compiles lives
// in unnamed namespaces, and it calls nothing from the standard library but C functions.

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/simd/attention_simd.h"
#include "kernels/cpu/simd/bf16_simd.h"
#include "kernels/cpu/simd/vec_avx512.h"
#include "kernels/cpu/simd/vec_vnni.h"

namespace quire::cpu {

const CpuKernels* avx512_bf16_kernels() {
  static const CpuKernels kKernels = [] {
    CpuKernels kernels = *avx512_vnni_kernels();
    kernels.name = "avx512_bf16";
    kernels.label = "AVX-512 BF16";
    kernels.linear_bf16 = linear_bf16<VecAvx512Bf16>;
    kernels.attention = attention<VecAvx512Bf16>;
    kernels.attention_blocks = attention_blocks<VecAvx512Bf16>;
    return kernels;
  }();
  return &kKernels;
}

}  // namespace quire::cpu
