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

constexpr TiledKernels kAvx512Tiles = {
    cpu::linear_int8_by_tiles<VecWithTiles, cpu::avx512_vnni_kernels>,
    cpu::linear_bf16<VecWithTiles>,
    cpu::attention_extending<VecWithTiles, cpu::avx512_vnni_kernels>,
    cpu::attention_blocks_extending<VecWithTiles, cpu::avx512_vnni_kernels>};

}  // namespace quire::test
