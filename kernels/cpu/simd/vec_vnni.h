#pragma once

// Included only by the variants' sources that have them, after the vector that they widen: the
// processor's own product of bytes in place of three instructions, and all unsigned bytes; its
// products of numbers of 16 bits and of bf16.

namespace quire::cpu {
namespace {

#if defined(__AVX512VNNI__)
struct VecAvx512Vnni : VecAvx512 {
  static constexpr bool kDotsAllBytes = true;
  static I dot(I sum, B weights, I inputs) { return _mm512_dpbusd_epi32(sum, weights, inputs); }
  static I dot_i16(I sum, I a, I b) { return _mm512_dpwssd_epi32(sum, a, b); }
};
#endif

#if defined(__AVX512BF16__)
struct VecAvx512Bf16 : VecAvx512Vnni {
  static constexpr int kBf16Rows = 6;
  /// sum + the products of two bf16 to a lane.
  static F dot_bf16(F sum, I weights, I inputs) {
    return _mm512_dpbf16_ps(sum, (__m512bh)weights, (__m512bh)inputs);
  }
};
#endif

#if defined(__AVXVNNI__)
struct VecAvx2Vnni : VecAvx2 {
  static constexpr bool kDotsAllBytes = true;
  static constexpr int kInt8Rows = 4;
  static I dot(I sum, B weights, I inputs) { return _mm256_dpbusd_avx_epi32(sum, weights, inputs); }
  static I dot_i16(I sum, I a, I b) { return _mm256_dpwssd_avx_epi32(sum, a, b); }
};
#endif

}  // namespace
}  // namespace quire::cpu
