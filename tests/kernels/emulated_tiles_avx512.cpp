#include "kernels/cpu/simd/attention_simd.h"
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

constexpr TiledProducts kAvx512Tiles = {
    cpu::linear_int8<VecWithTiles>, cpu::linear_bf16<VecWithTiles>, cpu::attention<VecWithTiles>,
    cpu::attention_blocks<VecWithTiles>};

}  // namespace quire::test
