#include "kernels/cpu/simd/bf16_simd.h"
#include "kernels/cpu/simd/int8_simd.h"
#include "kernels/cpu/simd/vec_avx512.h"
#include "kernels/cpu/simd/vec_vnni.h"
#include "tests/kernels/emulated_tiles.h"

namespace quire::test {
namespace {

struct VecWithTiles : cpu::VecAvx512Bf16 {
  using Tiles = EmulatedTiles;
};

}  // namespace

cpu::CpuKernels avx512_kernels_with_tiles() {
  cpu::CpuKernels kernels = *cpu::avx512_bf16_kernels();
  kernels.linear_int8 = cpu::linear_int8<VecWithTiles>;
  kernels.linear_bf16 = cpu::linear_bf16<VecWithTiles>;
  return kernels;
}

}  // namespace quire::test
