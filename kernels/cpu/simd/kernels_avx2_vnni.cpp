// The AVX2 VNNI variant: its own integer dot products; otherwise as the AVX2 variant. Built with
// instruction flags of its own: all of its code is in unnamed namespaces, and it calls only C
// functions of the standard library.

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/simd/attention_simd.h"
#include "kernels/cpu/simd/int8_simd.h"
#include "kernels/cpu/simd/vec_avx2.h"
#include "kernels/cpu/simd/vec_vnni.h"

namespace quire::cpu {

const CpuKernels* avx2_vnni_kernels() {
  static const CpuKernels kKernels = [] {
    CpuKernels kernels = *avx2_kernels();
    kernels.name = "avx2_vnni";
    kernels.label = "AVX2 VNNI";
    kernels.linear_int8 = linear_int8<VecAvx2Vnni>;
    kernels.attention = attention_extending<VecAvx2Vnni, avx2_kernels>;
    kernels.attention_blocks = attention_blocks_extending<VecAvx2Vnni, avx2_kernels>;
    return kernels;
  }();
  return &kKernels;
}

}  // namespace quire::cpu
