#include "kernels/cpu/scalar/vec_scalar.h"
#include "kernels/cpu/simd/int8_simd.h"
#include "tests/kernels/emulated_tiles.h"

namespace quire::test {
namespace {

struct VecWithTiles : cpu::VecScalar {
  using Tiles = EmulatedTiles;
};

}  // namespace

cpu::CpuKernels scalar_kernels_with_tiles() {
  cpu::CpuKernels kernels = *cpu::scalar_kernels();
  kernels.linear_int8 = cpu::linear_int8<VecWithTiles>;
  return kernels;
}

#if !defined(__x86_64__)
cpu::CpuKernels avx512_kernels_with_tiles() {
  return scalar_kernels_with_tiles();
}
#endif

}  // namespace quire::test
