// The NEON dotprod variant: its own dot products of bytes; otherwise the NEON variant.

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/simd/int8_simd.h"
#include "kernels/cpu/simd/vec_neon.h"

namespace quire::cpu {

const CpuKernels* neon_dotprod_kernels() {
  static const CpuKernels kKernels = [] {
    CpuKernels kernels = *neon_kernels();
    kernels.name = "neon_dotprod";
    kernels.label = "NEON dot products";
    kernels.linear_int8 = linear_int8<VecNeonDotprod>;
    return kernels;
  }();
  return &kKernels;
}

}  // namespace quire::cpu
