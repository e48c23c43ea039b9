// The AMX variant: AVX-512 with VNNI, and products of many rows by tiles. Built with
// instruction flags of its own: everything it compiles lives in unnamed namespaces, and it calls
// nothing from the standard library but C functions.

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/simd/kernels_simd.h"
#include "kernels/cpu/simd/vec_avx512.h"
#include "kernels/cpu/simd/vec_vnni.h"
// Needs the vectors above.
#include "kernels/cpu/simd/vec_amx.h"

namespace quire::cpu {

const CpuKernels* amx_kernels() {
  static constexpr CpuKernels kKernels = kernels_of<VecAmx>("amx", "AMX");
  return &kKernels;
}

}  // namespace quire::cpu
