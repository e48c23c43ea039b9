#pragma once

// Included only by the VNNI variants' sources, after the vector that they widen: the processor's
// own product of bytes in place of three instructions, and all unsigned bytes.

namespace quire::cpu {
namespace {

#if defined(__AVX512VNNI__)
struct VecAvx512Vnni : VecAvx512 {
  static constexpr bool kDotsAllBytes = true;
  static I dot(I sum, B weights, I inputs) { return _mm512_dpbusd_epi32(sum, weights, inputs); }
};
#endif

#if defined(__AVXVNNI__)
struct VecAvx2Vnni : VecAvx2 {
  static constexpr bool kDotsAllBytes = true;
  static constexpr int kInt8Rows = 4;
  static I dot(I sum, B weights, I inputs) { return _mm256_dpbusd_avx_epi32(sum, weights, inputs); }
};
#endif

}  // namespace
}  // namespace quire::cpu
