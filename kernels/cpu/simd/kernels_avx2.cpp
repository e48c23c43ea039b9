// The AVX2 variant. Built with instruction flags of its own: all of its code is in unnamed
// namespaces, and it calls only C functions of the standard library.

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/simd/kernels_simd.h"
#include "kernels/cpu/simd/vec_avx2.h"

namespace quire::cpu {

const CpuKernels* avx2_kernels() {
  static constexpr CpuKernels kKernels = kernels_of<VecAvx2>("avx2", "AVX2");
  return &kKernels;
}

}  // namespace quire::cpu
