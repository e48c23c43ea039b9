// The NEON with dot products variant.

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/simd/kernels_simd.h"
#include "kernels/cpu/simd/vec_neon.h"

namespace quire::cpu {

const CpuKernels* neon_dotprod_kernels() {
  static constexpr CpuKernels kKernels =
      kernels_of<VecNeonDotprod>("neon_dotprod", "NEON dot products");
  return &kKernels;
}

}  // namespace quire::cpu
