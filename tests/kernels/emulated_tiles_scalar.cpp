#include "kernels/cpu/scalar/vec_scalar.h"
#include "kernels/cpu/simd/bf16_simd.h"
#include "kernels/cpu/simd/int8_simd.h"
#include "tests/kernels/emulated_tiles.h"

namespace quire::test {
namespace {

struct VecWithTiles : cpu::VecScalar {
  using Tiles = EmulatedTiles;
  static constexpr int kBf16Rows = 1;
};

}  // namespace

constexpr TiledKernels kScalarTiles = {cpu::linear_int8_by_tiles<VecWithTiles, cpu::scalar_kernels>,
                                       cpu::linear_bf16<VecWithTiles>};
#if !defined(__x86_64__)
constexpr TiledKernels kAvx2Tiles = {};
constexpr TiledKernels kAvx512Tiles = kScalarTiles;
#endif

}  // namespace quire::test
