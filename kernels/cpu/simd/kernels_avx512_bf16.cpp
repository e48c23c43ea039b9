// The AVX-512 with VNNI and BF16 variant. Built with instruction flags of its own: everything it
// compiles lives in unnamed namespaces, and it calls nothing from the standard library but C
// functions.

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/simd/kernels_simd.h"
#include "kernels/cpu/simd/vec_avx512.h"
#include "kernels/cpu/simd/vec_vnni.h"

namespace quire::cpu {

const CpuKernels* avx512_bf16_kernels() {
  static constexpr CpuKernels kKernels = kernels_of<VecAvx512Bf16>("avx512_bf16", "AVX-512 BF16");
  return &kKernels;
}

}  // namespace quire::cpu
