#pragma once

// Vectors with dot products of bytes and 16-bit integers (VNNI), and of bf16. Included only by the
// sources of variants that have these instructions, after the vector that they extend.

namespace quire::cpu {
namespace {

#if defined(__AVX512VNNI__)
struct VecAvx512Vnni : VecAvx512 {
  static constexpr bool kExtendsIntegersOnly = true;
  static constexpr bool kDotsAllBytes = true;
  static I dot(I sum, B weights, I inputs) { return _mm512_dpbusd_epi32(sum, weights, inputs); }
  static I dot_i16(I sum, I a, I b) { return _mm512_dpwssd_epi32(sum, a, b); }
};
#endif

#if defined(__AVX512BF16__)
struct VecAvx512Bf16 : VecAvx512Vnni {
  static constexpr int kBf16Rows = 6;
  /// sum + the products of bf16, two in each lane.
  static F dot_bf16(F sum, I weights, I inputs) {
    return _mm512_dpbf16_ps(sum, (__m512bh)weights, (__m512bh)inputs);
  }
  /// A pair of each of 16 bf16 of `low` and of `high`.
  static I pairs_of_bf16(const uint16_t* low, const uint16_t* high) {
    const __m512i places = _mm512_add_epi32(
        _mm512_set1_epi32(0x100000),
        _mm512_mullo_epi32(
            _mm512_set1_epi32(0x10001),
            _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)));
    const __m256i first = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(low));
    const __m256i second = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(high));
    return _mm512_permutexvar_epi16(places,
                                    _mm512_inserti64x4(_mm512_castsi256_si512(first), second, 1));
  }
  /// Subnormal numbers become zeros.
  static void store_bf16_n(uint16_t* p, F x, int n) {
    _mm256_mask_storeu_epi16(p, lanes(n), (__m256i)_mm512_cvtneps_pbh(x));
  }
};
#endif

#if defined(__AVXVNNI__)
struct VecAvx2Vnni : VecAvx2 {
  static constexpr bool kExtendsIntegersOnly = true;
  static constexpr bool kDotsAllBytes = true;
  static constexpr int kInt8Rows = 4;
  static I dot(I sum, B weights, I inputs) { return _mm256_dpbusd_avx_epi32(sum, weights, inputs); }
  static I dot_i16(I sum, I a, I b) { return _mm256_dpwssd_avx_epi32(sum, a, b); }
};
#endif

}  // namespace
}  // namespace quire::cpu
