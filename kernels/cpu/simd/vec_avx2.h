#pragma once

// Included only by the AVX2 variants' sources. Eight floats, with the operations that the kernel
// templates need; in an unnamed namespace, so that no other translation unit links to this code.

#include <immintrin.h>

#include <cstdint>
#include <cstring>

namespace quire::cpu {
namespace {

struct VecAvx2 {
  using F = __m256;
  static constexpr int kWidth = 8;
  /// Tile of the blocked GEMM: rows times vectors, 12 accumulators of 16 registers.
  static constexpr int kTileRows = 6;
  static constexpr int kTileVecs = 2;
  /// Vectors of a panel that linear_rows multiplies at once for that many rows.
  static constexpr int direct_vecs(int rows) { return rows == 1 ? 8 : rows <= 3 ? 4 : 2; }
  /// Rows that linear_rows multiplies together, and CpuKernels::max_direct_rows.
  static constexpr int kTogetherRows = 6;
  static constexpr int kDirectRows = 24;
  /// Queries that attention multiplies at once: by keys, and by four vectors of values.
  static constexpr int kScoreQueries = 4;
  static constexpr int kQueries = 2;

  static F zero() { return _mm256_setzero_ps(); }
  static F set1(float x) { return _mm256_set1_ps(x); }
  static F load(const float* p) { return _mm256_loadu_ps(p); }
  static void store(float* p, F x) { _mm256_storeu_ps(p, x); }
  static F add(F a, F b) { return _mm256_add_ps(a, b); }
  static F sub(F a, F b) { return _mm256_sub_ps(a, b); }
  static F mul(F a, F b) { return _mm256_mul_ps(a, b); }
  static F div(F a, F b) { return _mm256_div_ps(a, b); }
  static F fma(F a, F b, F c) { return _mm256_fmadd_ps(a, b, c); }
  static F fnma(F a, F b, F c) { return _mm256_fnmadd_ps(a, b, c); }
  /// The second operand if either is NaN.
  static F max(F a, F b) { return _mm256_max_ps(a, b); }
  static F min(F a, F b) { return _mm256_min_ps(a, b); }
  static F round(F x) { return _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
  static F abs(F x) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x); }
  static F copy_sign(F magnitude, F sign) {
    const __m256 mask = _mm256_set1_ps(-0.0f);
    return _mm256_or_ps(_mm256_andnot_ps(mask, magnitude), _mm256_and_ps(mask, sign));
  }
  /// x * 2^n for whole n in [-252, 252], in two steps so that 2^n itself need not be a float.
  static F scale_by_power_of_2(F x, F n) {
    const __m256i whole = _mm256_cvtps_epi32(n);
    const __m256i half = _mm256_srai_epi32(whole, 1);
    return mul(mul(x, power_of_2(half)), power_of_2(_mm256_sub_epi32(whole, half)));
  }
  static F power_of_2(__m256i n) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(n, _mm256_set1_epi32(127)), 23));
  }
  /// Lane by lane: a < b ? then : otherwise.
  static F select_less(F a, F b, F then, F otherwise) {
    return _mm256_blendv_ps(otherwise, then, _mm256_cmp_ps(a, b, _CMP_LT_OQ));
  }

  // 32-bit integers, one a lane.
  using I = __m256i;
  static I load_i(const int32_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  static void store_i(int32_t* p, I x) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x); }
  static I load_u8(const uint8_t* p) {
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
  }
  static I set1_i(int x) { return _mm256_set1_epi32(x); }
  static I or_i(I a, I b) { return _mm256_or_si256(a, b); }
  static I and_i(I a, I b) { return _mm256_and_si256(a, b); }
  static I xor_i(I a, I b) { return _mm256_xor_si256(a, b); }
  static I add_i(I a, I b) { return _mm256_add_epi32(a, b); }
  static I sub_i(I a, I b) { return _mm256_sub_epi32(a, b); }
  /// Zeros come in from the left.
  static I shift_right(I x, int n) { return _mm256_srlv_epi32(x, _mm256_set1_epi32(n)); }
  /// table[x], lane by lane.
  static I gather(const uint32_t* table, I x) {
    return _mm256_i32gather_epi32(reinterpret_cast<const int*>(table), x, 4);
  }
  /// table[x % 16], lane by lane.
  static F look_up_16(const float* table, I x) {
    const F low = _mm256_permutevar8x32_ps(load(table), x);
    const F high = _mm256_permutevar8x32_ps(load(table + 8), x);
    return _mm256_blendv_ps(low, high, _mm256_castsi256_ps(_mm256_slli_epi32(x, 28)));
  }
  static I shift_left(I x, int n) { return _mm256_sllv_epi32(x, _mm256_set1_epi32(n)); }
  static I shift_left_each(I x, I n) { return _mm256_sllv_epi32(x, n); }
  static F to_float(I x) { return _mm256_cvtepi32_ps(x); }
  static F float_of_bits(I x) { return _mm256_castsi256_ps(x); }
  /// The value of the IEEE half in the low 16 bits of each lane.
  static F float_of_half(I x) {
    return _mm256_cvtph_ps(
        _mm_packus_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1)));
  }
  // Bytes: a byte for each lane of four vectors. Shifts may move bits into the next byte: mask the
  // result unless the bits fit.
  using B = __m256i;
  static B load_b(const uint8_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  static void store_b(uint8_t* p, B x) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x); }
  /// The four bytes of each lane as a number, and back.
  static I words_of(B x) { return x; }
  static B bytes_of(I x) { return x; }
  /// Byte i of a lane is negated if bit i of the lane of `bits` is set, i < 4.
  static B negate_b(B x, I bits) {
    const __m256i lanes = _mm256_setr_epi32(0, 0x04040404, 0x08080808, 0x0c0c0c0c, 0, 0x04040404,
                                            0x08080808, 0x0c0c0c0c);
    const __m256i mask = _mm256_set1_epi32(0x08040201);
    const __m256i chosen = _mm256_and_si256(_mm256_shuffle_epi8(bits, lanes), mask);
    const __m256i negative = _mm256_cmpeq_epi8(chosen, mask);
    return _mm256_sub_epi8(_mm256_xor_si256(x, negative), negative);
  }
  static B set1_b(int x) { return _mm256_set1_epi8(static_cast<char>(x)); }
  static B and_b(B a, B b) { return _mm256_and_si256(a, b); }
  static B or_b(B a, B b) { return _mm256_or_si256(a, b); }
  static B sub_b(B a, B b) { return _mm256_sub_epi8(a, b); }
  static B shift_left_b(B x, int n) { return (B)((__v16hu)x << n); }
  static B shift_right_b(B x, int n) { return (B)((__v16hu)x >> n); }
  /// table[x], x in [0, 16).
  static B look_up_b(const int8_t* table, B x) {
    const __m128i values = _mm_loadu_si128(reinterpret_cast<const __m128i*>(table));
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(values), x);
  }

  // Dot products of bytes: a lane has the bytes of four inputs of one output.
  /// Whether dot() accepts unsigned bytes above 127.
  static constexpr bool kDotsAllBytes = false;
  static constexpr int kInt8Rows = 2;
  /// Up to this many rows gemv_int8 is used, which stores nothing of the panel.
  static constexpr int kFewRows = 1;
  static constexpr int kInt8Vecs = 2;
  /// The bytes of four vectors' lanes as 32-bit integers.
  static void widen_b(B x, I (&out)[4]) {
    const __m128i low = _mm256_castsi256_si128(x), high = _mm256_extracti128_si256(x, 1);
    out[0] = _mm256_cvtepu8_epi32(low);
    out[1] = _mm256_cvtepu8_epi32(_mm_unpackhi_epi64(low, low));
    out[2] = _mm256_cvtepu8_epi32(high);
    out[3] = _mm256_cvtepu8_epi32(_mm_unpackhi_epi64(high, high));
  }
  /// The products of unsigned and signed bytes, two of them summed in 16 bits.
  static I dot_pairs(B weights, I inputs) { return _mm256_maddubs_epi16(weights, inputs); }
  /// Keeps GCC from computing all products first and adding them as a tree, which spills registers
  /// and takes up to 1.5 times as long.
  static I in_order(I sum) {
    asm("" : "+x"(sum));
    return sum;
  }
  static I add_pairs(I a, I b) { return in_order(_mm256_add_epi16(a, b)); }
  static I widen_pairs(I sum, I pairs) {
    return in_order(_mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1))));
  }
  /// sum + the products of unsigned and signed bytes, four in each lane.
  static I dot(I sum, B weights, I inputs) { return widen_pairs(sum, dot_pairs(weights, inputs)); }
  /// dot() of signed bytes.
  static I dot_signed(I sum, B weights, I inputs) {
    return dot(sum, _mm256_abs_epi8(weights), _mm256_sign_epi8(inputs, weights));
  }
  /// The 8 floats as 8-bit codes.
  static void store_codes(int8_t* p, F x) {
    const __m256i whole = _mm256_cvtps_epi32(x);
    const __m128i words =
        _mm_packs_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packs_epi16(words, words));
  }

  // Dot products of 16-bit integers, two a lane.
  /// A pair of each of 8 signed bytes of `low` and of `high`.
  static I pairs_of_i8(const int8_t* low, const int8_t* high) {
    const __m128i a = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(low));
    const __m128i b = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(high));
    return _mm256_cvtepi8_epi16(_mm_unpacklo_epi8(a, b));
  }
  /// sum + the products of signed numbers, two in each lane.
  static I dot_i16(I sum, I a, I b) {
    return in_order(_mm256_add_epi32(sum, _mm256_madd_epi16(a, b)));
  }
  /// The 8 floats, which are integers, in 16 bits.
  static void store_i16(int16_t* p, F x) {
    const __m256i whole = _mm256_cvtps_epi32(x);
    _mm_storeu_si128(
        reinterpret_cast<__m128i*>(p),
        _mm_packs_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1)));
  }

  static __m256i lane_numbers() { return _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7); }
  /// Lanes i with begin <= first + i < end take `then`, the others `otherwise`.
  static F select_range(int first, int begin, int end, F then, F otherwise) {
    const __m256i lanes = _mm256_add_epi32(_mm256_set1_epi32(first), lane_numbers());
    const __m256i inside = _mm256_andnot_si256(_mm256_cmpgt_epi32(_mm256_set1_epi32(begin), lanes),
                                               _mm256_cmpgt_epi32(_mm256_set1_epi32(end), lanes));
    return _mm256_blendv_ps(otherwise, then, _mm256_castsi256_ps(inside));
  }

  /// The first n elements; the other lanes are zero.
  static F load_n(const float* p, int n) {
    if (n >= kWidth) return load(p);
    return _mm256_maskload_ps(p, _mm256_cmpgt_epi32(_mm256_set1_epi32(n), lane_numbers()));
  }
  static void store_n(float* p, F x, int n) {
    if (n >= kWidth) return store(p, x);
    _mm256_maskstore_ps(p, _mm256_cmpgt_epi32(_mm256_set1_epi32(n), lane_numbers()), x);
  }

  static F widen_bf16(__m128i x) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(x), 16));
  }
  static __m128i load_u16_n(const uint16_t* p, int n) {
    if (n >= kWidth) return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    alignas(16) uint16_t buffer[kWidth] = {};
    std::memcpy(buffer, p, static_cast<size_t>(n) * sizeof(uint16_t));
    return _mm_load_si128(reinterpret_cast<const __m128i*>(buffer));
  }
  static void store_u16_n(uint16_t* p, __m128i x, int n) {
    if (n >= kWidth) return _mm_storeu_si128(reinterpret_cast<__m128i*>(p), x);
    alignas(16) uint16_t buffer[kWidth];
    _mm_store_si128(reinterpret_cast<__m128i*>(buffer), x);
    std::memcpy(p, buffer, static_cast<size_t>(n) * sizeof(uint16_t));
  }
  static F load_bf16(const uint16_t* p) { return widen_bf16(load_u16_n(p, kWidth)); }
  static F load_f16(const uint16_t* p) { return _mm256_cvtph_ps(load_u16_n(p, kWidth)); }
  static F load_bf16_n(const uint16_t* p, int n) { return widen_bf16(load_u16_n(p, n)); }
  static F load_f16_n(const uint16_t* p, int n) { return _mm256_cvtph_ps(load_u16_n(p, n)); }
  static void store_bf16_n(uint16_t* p, F x, int n) {
    const __m256i bits = _mm256_castps_si256(x);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const __m256i rounded =
        _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff)), odd);
    const __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
    const __m256i chosen = _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(rounded),
                                                                _mm256_castsi256_ps(quiet),
                                                                _mm256_cmp_ps(x, x, _CMP_UNORD_Q)));
    const __m256i high = _mm256_srli_epi32(chosen, 16);
    store_u16_n(
        p, _mm_packus_epi32(_mm256_castsi256_si128(high), _mm256_extracti128_si256(high, 1)), n);
  }
  static void store_f16_n(uint16_t* p, F x, int n) {
    store_u16_n(p, _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT), n);
  }

  /// The sum and the maximum of the lanes, in a fixed order.
  static float reduce_add(F x) {
    F sum = add(x, _mm256_permute2f128_ps(x, x, 0x01));
    sum = add(sum, _mm256_permute_ps(sum, 0x4e));
    sum = add(sum, _mm256_permute_ps(sum, 0xb1));
    return _mm256_cvtss_f32(sum);
  }
  static float reduce_max(F x) {
    F best = max(x, _mm256_permute2f128_ps(x, x, 0x01));
    best = max(best, _mm256_permute_ps(best, 0x4e));
    best = max(best, _mm256_permute_ps(best, 0xb1));
    return _mm256_cvtss_f32(best);
  }
};

}  // namespace
}  // namespace quire::cpu
