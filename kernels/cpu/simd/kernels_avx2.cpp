// The AVX2 variant. Built with instruction flags of its own: everything it compiles lives in
// unnamed namespaces, and it calls nothing from the standard library but C functions.

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/simd/kernels_simd.h"
#include "kernels/cpu/simd/vec_avx2.h"

namespace quire::cpu {

const CpuKernels* avx2_kernels() {
  static constexpr CpuKernels kKernels = kernels_of<VecAvx2>("avx2", "AVX2");
  return &kKernels;
}

}  // namespace quire::cpu
