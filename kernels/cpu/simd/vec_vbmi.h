#pragma once

// AVX-512 vectors with permutations of bytes (VBMI). Included only by the sources of variants that
// have them, after vec_vnni.h.

#include "kernels/base/grid_tables.h"

namespace quire::cpu {
namespace {

struct VecAvx512Vbmi : VecAvx512Vnni {
  /// table[x % 64], byte by byte.
  static B look_up_64(const uint8_t* table, B x) {
    return _mm512_permutexvar_epi8(x, load_b(table));
  }
  /// table[x % 128].
  static B look_up_128(const uint8_t* table, B x) {
    return _mm512_permutex2var_epi8(load_b(table), x, load_b(table + 64));
  }
  /// Byte i of the result is byte (i / 4 * 4 + offsets[i % 4]) of x.
  static B shuffle_b(B x, int offsets) { return _mm512_shuffle_epi8(x, in_lanes(offsets)); }
  /// shuffle_b() of x for even bytes, of y for odd ones.
  static B shuffle_pairs_b(B x, B y, int offsets) {
    constexpr __mmask64 kOdd = 0xaaaaaaaaaaaaaaaa;
    return _mm512_mask_shuffle_epi8(shuffle_b(x, offsets), kOdd, y, in_lanes(offsets));
  }
  /// Byte i of the result is byte (i / 4 * 4 + offsets[i % 4] % 4) of x, or of y for offsets of 64
  /// and more.
  static B choose_b(B x, B y, int offsets) {
    return _mm512_permutex2var_epi8(x, _mm512_add_epi8(lane_bytes(), set1_i(offsets)), y);
  }
  /// Byte i of each lane of the result is the eight bits of x from bit 7 i on; of the last byte
  /// only four are the lane's.
  static B every_seven_bits(B x) {
    return _mm512_multishift_epi64_epi8(
        _mm512_set4_epi32(0x352e2720, 0x150e0700, 0x352e2720, 0x150e0700), x);
  }
  using Mask = __mmask64;
  /// The bytes in which a bit of `bits` is set.
  static Mask test_b(B x, B bits) { return _mm512_test_epi8_mask(x, bits); }
  static Mask top_bits(B x) { return _mm512_movepi8_mask(x); }
  static B select_b(Mask mask, B then, B otherwise) {
    return _mm512_mask_blend_epi8(mask, otherwise, then);
  }
  /// a - b in the bytes of the mask, b in the others.
  static B subtract_from_b(Mask mask, B a, B b) { return _mm512_mask_sub_epi8(b, mask, a, b); }
  /// The four numbers in E4M3 of each lane.
  static void widen_e4m3(I words, F (&numbers)[4]) {
    constexpr __mmask64 kUpper = 0xcccccccccccccccc;
    const B next = look_up_128(kE4m3Bytes.next, words);
    const B top = _mm512_ternarylogic_epi32(look_up_128(kE4m3Bytes.top, words), words, set1_b(-128),
                                            0xf8);  // Or the signs.
#pragma GCC unroll 4
    for (int n = 0; n < 4; ++n) {
      const B places = _mm512_add_epi8(lane_bytes(), set1_i(0x40000000 + n * 0x01010101));
      numbers[n] = _mm512_castsi512_ps(_mm512_maskz_permutex2var_epi8(kUpper, next, places, top));
    }
  }
  /// The 4 x 4 bytes of each 16 of a chunk's codes transposed.
  static void transpose_fours(int8_t* to, const int8_t* from) {
    const B places =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    for (int i = 0; i < 256; i += 64) {
      _mm512_store_si512(to + i, _mm512_shuffle_epi8(_mm512_loadu_si512(from + i), places));
    }
  }

 private:
  /// The index of each lane's first byte, in all of its bytes.
  static B lane_bytes() {
    return _mm512_mullo_epi32(
        _mm512_set1_epi32(0x04040404),
        _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
  }
  static B in_lanes(int offsets) {
    return _mm512_add_epi8(_mm512_set4_epi32(0x0c0c0c0c, 0x08080808, 0x04040404, 0),
                           set1_i(offsets));
  }
};

}  // namespace
}  // namespace quire::cpu
