// The NEON variant.

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/simd/kernels_simd.h"
#include "kernels/cpu/simd/vec_neon.h"

namespace quire::cpu {

const CpuKernels* neon_kernels() {
  static constexpr CpuKernels kKernels = kernels_of<VecNeon>("neon", "NEON");
  return &kKernels;
}

}  // namespace quire::cpu
