// The AVX-512 VNNI variant: its own integer dot products; otherwise as the AVX-512 variant. Built
// with instruction flags of its own: all of its code is in unnamed namespaces, and it calls only C
// functions of the standard library.

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/simd/attention_simd.h"
#include "kernels/cpu/simd/int8_simd.h"
#include "kernels/cpu/simd/vec_avx512.h"
#include "kernels/cpu/simd/vec_vnni.h"

namespace quire::cpu {

const CpuKernels* avx512_vnni_kernels() {
  static const CpuKernels kKernels = [] {
    CpuKernels kernels = *avx512_kernels();
    kernels.name = "avx512_vnni";
    kernels.label = "AVX-512 VNNI";
    kernels.linear_int8 = linear_int8<VecAvx512Vnni>;
    kernels.attention = attention_extending<VecAvx512Vnni, avx512_kernels>;
    kernels.attention_blocks = attention_blocks_extending<VecAvx512Vnni, avx512_kernels>;
    return kernels;
  }();
  return &kKernels;
}

}  // namespace quire::cpu
