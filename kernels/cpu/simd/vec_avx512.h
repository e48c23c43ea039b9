#pragma once

// Included only by the AVX-512 variants' sources. Sixteen floats; see vec_avx2.h for the interface.

#include <immintrin.h>

#include <cstdint>

namespace quire::cpu {
namespace {

struct VecAvx512 {
  using F = __m512;
  static constexpr int kWidth = 16;
  /// Tile of the blocked GEMM: rows times vectors, 28 accumulators of 32 registers.
  static constexpr int kTileRows = 14;
  static constexpr int kTileVecs = 2;
  static constexpr int direct_vecs(int) { return 4; }
  static constexpr int kTogetherRows = 6;
  static constexpr int kDirectRows = 24;
  static constexpr int kScoreQueries = 16;
  static constexpr int kQueries = 4;

  static F zero() { return _mm512_setzero_ps(); }
  static F set1(float x) { return _mm512_set1_ps(x); }
  static F load(const float* p) { return _mm512_loadu_ps(p); }
  static void store(float* p, F x) { _mm512_storeu_ps(p, x); }
  static F add(F a, F b) { return _mm512_add_ps(a, b); }
  static F sub(F a, F b) { return _mm512_sub_ps(a, b); }
  static F mul(F a, F b) { return _mm512_mul_ps(a, b); }
  static F div(F a, F b) { return _mm512_div_ps(a, b); }
  static F fma(F a, F b, F c) { return _mm512_fmadd_ps(a, b, c); }
  static F fnma(F a, F b, F c) { return _mm512_fnmadd_ps(a, b, c); }
  static F max(F a, F b) { return _mm512_max_ps(a, b); }
  static F min(F a, F b) { return _mm512_min_ps(a, b); }
  static F round(F x) { return _mm512_roundscale_ps(x, 0); }
  static F abs(F x) { return _mm512_abs_ps(x); }
  static F copy_sign(F magnitude, F sign) {
    const __m512 mask = _mm512_set1_ps(-0.0f);
    return _mm512_or_ps(_mm512_andnot_ps(mask, magnitude), _mm512_and_ps(mask, sign));
  }
  static F scale_by_power_of_2(F x, F n) { return _mm512_scalef_ps(x, n); }
  static F select_less(F a, F b, F then, F otherwise) {
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), otherwise, then);
  }

  using I = __m512i;
  static I load_i(const int32_t* p) { return _mm512_loadu_si512(p); }
  static void store_i(int32_t* p, I x) { _mm512_storeu_si512(p, x); }
  static I load_u8(const uint8_t* p) {
    return _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  static I set1_i(int x) { return _mm512_set1_epi32(x); }
  static I or_i(I a, I b) { return _mm512_or_si512(a, b); }
  static I and_i(I a, I b) { return _mm512_and_si512(a, b); }
  static I xor_i(I a, I b) { return _mm512_xor_si512(a, b); }
  static I add_i(I a, I b) { return _mm512_add_epi32(a, b); }
  static I sub_i(I a, I b) { return _mm512_sub_epi32(a, b); }
  static I shift_right(I x, int n) { return _mm512_srlv_epi32(x, _mm512_set1_epi32(n)); }
  static I gather(const uint32_t* table, I x) {
    return _mm512_i32gather_epi32(x, reinterpret_cast<const int*>(table), 4);
  }
  static F look_up_16(const float* table, I x) { return _mm512_permutexvar_ps(x, load(table)); }
  static I shift_left(I x, int n) { return _mm512_sllv_epi32(x, _mm512_set1_epi32(n)); }
  static I shift_left_each(I x, I n) { return _mm512_sllv_epi32(x, n); }
  static F to_float(I x) { return _mm512_cvtepi32_ps(x); }
  static F float_of_bits(I x) { return _mm512_castsi512_ps(x); }
  static F float_of_half(I x) { return _mm512_cvtph_ps(_mm512_cvtepi32_epi16(x)); }
  using B = __m512i;
  static B load_b(const uint8_t* p) { return _mm512_loadu_si512(p); }
  static void store_b(uint8_t* p, B x) { _mm512_storeu_si512(p, x); }
  static I words_of(B x) { return x; }
  static B bytes_of(I x) { return x; }
  static B negate_b(B x, I bits) {
    const __m512i lanes = _mm512_set4_epi32(0x0c0c0c0c, 0x08080808, 0x04040404, 0);
    const __mmask64 negative =
        _mm512_test_epi8_mask(_mm512_shuffle_epi8(bits, lanes), _mm512_set1_epi32(0x08040201));
    return _mm512_mask_sub_epi8(x, negative, _mm512_setzero_si512(), x);
  }
  static B set1_b(int x) { return _mm512_set1_epi8(static_cast<char>(x)); }
  static B and_b(B a, B b) { return _mm512_and_si512(a, b); }
  static B or_b(B a, B b) { return _mm512_or_si512(a, b); }
  static B sub_b(B a, B b) { return _mm512_sub_epi8(a, b); }
  static B shift_left_b(B x, int n) { return (B)((__v32hu)x << n); }
  static B shift_right_b(B x, int n) { return (B)((__v32hu)x >> n); }
  static B look_up_b(const int8_t* table, B x) {
    const __m128i values = _mm_loadu_si128(reinterpret_cast<const __m128i*>(table));
    return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(values), x);
  }

  static constexpr bool kDotsAllBytes = false;
  static constexpr int kInt8Rows = 6;
  static constexpr int kFewRows = 2;
  static constexpr int kInt8Vecs = 2;
  static void widen_b(B x, I (&out)[4]) {
    out[0] = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(x));
    out[1] = _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(x, 1));
    out[2] = _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(x, 2));
    out[3] = _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(x, 3));
  }
  static I dot_pairs(B weights, I inputs) { return _mm512_maddubs_epi16(weights, inputs); }
  static I in_order(I sum) {
    asm("" : "+v"(sum));
    return sum;
  }
  static I add_pairs(I a, I b) { return in_order(_mm512_add_epi16(a, b)); }
  static I widen_pairs(I sum, I pairs) {
    return in_order(_mm512_add_epi32(sum, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1))));
  }
  static I dot(I sum, B weights, I inputs) { return widen_pairs(sum, dot_pairs(weights, inputs)); }
  static I dot_signed(I sum, B weights, I inputs) {
    const __mmask64 negative = _mm512_movepi8_mask(weights);
    const I turned = _mm512_mask_sub_epi8(inputs, negative, _mm512_setzero_si512(), inputs);
    return dot(sum, _mm512_abs_epi8(weights), turned);
  }
  /// The 16 floats as 8-bit codes.
  static void store_codes(int8_t* p, F x) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtsepi32_epi8(_mm512_cvtps_epi32(x)));
  }

  /// A pair of each of 16 signed bytes of `low` and of `high`.
  static I pairs_of_i8(const int8_t* low, const int8_t* high) {
    const __m128i a = _mm_loadu_si128(reinterpret_cast<const __m128i*>(low));
    const __m128i b = _mm_loadu_si128(reinterpret_cast<const __m128i*>(high));
    return _mm512_cvtepi8_epi16(_mm256_set_m128i(_mm_unpackhi_epi8(a, b), _mm_unpacklo_epi8(a, b)));
  }
  static I dot_i16(I sum, I a, I b) {
    return in_order(_mm512_add_epi32(sum, _mm512_madd_epi16(a, b)));
  }
  /// The 16 floats, which are integers, in 16 bits.
  static void store_i16(int16_t* p, F x) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p),
                        _mm512_cvtsepi32_epi16(_mm512_cvtps_epi32(x)));
  }

  static F select_range(int first, int begin, int end, F then, F otherwise) {
    const __m512i lanes =
        _mm512_add_epi32(_mm512_set1_epi32(first),
                         _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    const __mmask16 inside = _mm512_cmpge_epi32_mask(lanes, _mm512_set1_epi32(begin)) &
                             _mm512_cmplt_epi32_mask(lanes, _mm512_set1_epi32(end));
    return _mm512_mask_blend_ps(inside, otherwise, then);
  }

  static __mmask16 lanes(int n) {
    return n >= kWidth ? static_cast<__mmask16>(0xffff) : static_cast<__mmask16>((1u << n) - 1);
  }
  static F load_n(const float* p, int n) { return _mm512_maskz_loadu_ps(lanes(n), p); }
  static void store_n(float* p, F x, int n) { _mm512_mask_storeu_ps(p, lanes(n), x); }

  static F widen_bf16(__m256i x) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(x), 16));
  }
  static F load_bf16(const uint16_t* p) {
    return widen_bf16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  static F load_f16(const uint16_t* p) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  static F load_bf16_n(const uint16_t* p, int n) {
    return widen_bf16(_mm256_maskz_loadu_epi16(lanes(n), p));
  }
  static F load_f16_n(const uint16_t* p, int n) {
    return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(lanes(n), p));
  }
  static void store_bf16_n(uint16_t* p, F x, int n) {
    const __m512i bits = _mm512_castps_si512(x);
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i rounded =
        _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), odd);
    const __m512i quiet = _mm512_or_si512(bits, _mm512_set1_epi32(0x400000));
    const __m512i result =
        _mm512_mask_blend_epi32(_mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), rounded, quiet);
    _mm256_mask_storeu_epi16(p, lanes(n), _mm512_cvtepi32_epi16(_mm512_srli_epi32(result, 16)));
  }
  static void store_f16_n(uint16_t* p, F x, int n) {
    _mm256_mask_storeu_epi16(p, lanes(n), _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
  }

  static float reduce_add(F x) {
    F sum = add(x, _mm512_shuffle_f32x4(x, x, 0x4e));
    sum = add(sum, _mm512_shuffle_f32x4(sum, sum, 0xb1));
    sum = add(sum, _mm512_permute_ps(sum, 0x4e));
    sum = add(sum, _mm512_permute_ps(sum, 0xb1));
    return _mm512_cvtss_f32(sum);
  }
  static float reduce_max(F x) {
    F best = max(x, _mm512_shuffle_f32x4(x, x, 0x4e));
    best = max(best, _mm512_shuffle_f32x4(best, best, 0xb1));
    best = max(best, _mm512_permute_ps(best, 0x4e));
    best = max(best, _mm512_permute_ps(best, 0xb1));
    return _mm512_cvtss_f32(best);
  }
};

}  // namespace
}  // namespace quire::cpu
