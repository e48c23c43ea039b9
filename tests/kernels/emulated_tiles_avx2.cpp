#include <cstring>

#include "kernels/cpu/simd/attention_simd.h"
#include "kernels/cpu/simd/vec_avx2.h"
#include "tests/kernels/emulated_tiles.h"

namespace quire::test {
namespace {

struct VecWithTiles : cpu::VecAvx2 {
  using Tiles = EmulatedTiles;

  static F dot_bf16(F sum, I weights, I inputs) {
    const I low = _mm256_set1_epi32(0xffff);
    const auto even = [](I x) { return _mm256_castsi256_ps(_mm256_slli_epi32(x, 16)); };
    const auto odd = [&](I x) { return _mm256_castsi256_ps(_mm256_andnot_si256(low, x)); };
    return fma(odd(weights), odd(inputs), fma(even(weights), even(inputs), sum));
  }
  static I and_i(I a, I b) { return _mm256_and_si256(a, b); }
  static I pairs_of_bf16(const uint16_t* low, const uint16_t* high) {
    int32_t pairs[kWidth];
    for (int i = 0; i < kWidth; ++i) {
      pairs[i] = static_cast<int32_t>(low[i] | static_cast<uint32_t>(high[i]) << 16);
    }
    return load_i(pairs);
  }
};

}  // namespace

constexpr TiledKernels kAvx2Tiles = {
    .attention = cpu::attention_extending<VecWithTiles, cpu::avx2_kernels>,
    .attention_blocks = cpu::attention_blocks_extending<VecWithTiles, cpu::avx2_kernels>};

}  // namespace quire::test
