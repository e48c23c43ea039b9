#include "kernels/cpu/simd/kernels_simd.h"
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
  return cpu::kernels_of<VecWithTiles>("emulated", "Emulated tiles");
}

}  // namespace quire::test
