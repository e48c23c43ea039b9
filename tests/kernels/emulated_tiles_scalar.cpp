#include "kernels/cpu/scalar/vec_scalar.h"
#include "kernels/cpu/simd/bf16_simd.h"
#include "kernels/cpu/simd/int8_simd.h"
#include "tests/kernels/emulated_tiles.h"

namespace quire::test {
namespace {

struct VecWithTiles : cpu::VecScalar {
  using Tiles = EmulatedTiles;
  static constexpr int kBf16Rows = 1;
  static I load_u16(const uint16_t* p) { return *p; }
  static float load_f16(const uint16_t* p) { return f16_to_f32(*p); }
  static I bf16_bits(float x) { return f32_to_bf16(x); }
  static void store_i(int32_t* p, I x) { *p = x; }
};

}  // namespace

constexpr TiledProducts kScalarTiles = {cpu::linear_int8<VecWithTiles>,
                                        cpu::linear_bf16<VecWithTiles>};
#if !defined(__x86_64__)
constexpr TiledProducts kAvx512Tiles = kScalarTiles;
#endif

}  // namespace quire::test
