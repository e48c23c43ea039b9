#pragma once

// The formats of quant_blocks.h; included only by int8_unpack_simd.h. The interface is that of
// block_formats_simd.h, with one alternative to scale_code:
//   kHasFactors         true
//   factor(block, column, g)
//                       the factor of the block's scale for group g, of the vector of outputs from
//                       `column`; block points at byte 0 of the panel's first output
// The table lookups take four bytes for each lane: four inputs of an output.

#include "kernels/base/grid_tables.h"
#include "kernels/cpu/simd/block_bits_simd.h"

namespace quire::cpu {
namespace {

/// Four code bytes of each output, the first of them byte i.
template <class V>
inline typename V::I words(const uint8_t* block, int i) {
  return V::words_of(V::load_b(block + i * kPanelColumns));
}

template <class V>
inline typename V::I bit_field(typename V::I words, int shift, int mask) {
  return V::and_i(V::shift_right(words, shift), V::set1_i(mask));
}

/// 2 x + 1.
template <class V>
inline typename V::F odd_number(typename V::I x) {
  return V::to_float(V::add_i(V::add_i(x, x), V::set1_i(1)));
}

/// Half (0 or 1) of an entry of eight elements.
template <class V>
inline typename V::I look_up_half(const uint32_t* table, typename V::I index, int half) {
  return V::gather(table, V::add_i(V::add_i(index, index), V::set1_i(half)));
}

/// The signs of half of eight elements in the lower four bits, of which seven bits are stored: the
/// number of minus signs is even.
template <class V>
inline typename V::I signs_of_seven(typename V::I seven, int half) {
  static constexpr int8_t kOddBits[16] = {0, 8, 8, 0, 8, 0, 0, 8, 8, 0, 0, 8, 0, 8, 8, 0};
  if (half == 0) return seven;
  const typename V::I high = V::shift_right(seven, 4);
  const typename V::I folded = V::and_i(V::xor_i(seven, high), V::set1_i(15));
  return V::or_i(high, V::words_of(V::look_up_b(kOddBits, V::bytes_of(folded))));
}

/// The common properties of tables. kUnit: the block's scale is multiplied by 1 / kUnit.
template <int kScaleAt, int kUnit>
struct GridBlock {
  static constexpr int kElements = 256;
  static constexpr int kAlike = 1;
  static constexpr int kApart = 1;
  static constexpr bool kGroupSplit = false;
  static constexpr bool kHasOffset = false;
  static constexpr int kSection = 16;
  static constexpr int kPanelParts = 0;
  static constexpr int kScaleBias = 0;
  template <class V>
  static Scale<V> head(const uint8_t* block) {
    return {V::mul(half_at<V>(block, kScaleAt), V::set1(1.0f / kUnit)), V::zero()};
  }
};

/// Scales of four bits at kAt, two in a byte: 2 scale + 1.
template <int kAt>
struct OddNibbleScales {
  template <class V>
  static typename V::B scale_code(const uint8_t* block, int g) {
    const typename V::B bits = moved_bits<V>(block, kAt + g / 2, g % 2 * 4, 1, 15);
    return V::or_b(bits, V::set1_b(1));
  }
};

/// Scales in the upper four bits of a word of each group of 32: 2 scale + 1.
template <int kAt, int kStride>
struct TopNibbleScales {
  static constexpr bool kHasFactors = true;
  template <class V>
  static typename V::F factor(const uint8_t* block, int column, int g) {
    return odd_number<V>(V::shift_right(words<V>(block + 4 * column, kAt + g * kStride), 28));
  }
};

struct DecodeIQ2_XXS : GridBlock<0, 8>, TopNibbleScales<6, 8> {
  static constexpr int kBytes = 66;
  static constexpr int kGroup = 32;
  static constexpr int kBias = 43;
  static constexpr int kMostCode = 86;
  template <class V>
  static typename V::B codes(const uint8_t* block, int /*s*/, int r, int i) {
    const int eight = r % 2 * 2 + i / 8;
    const typename V::I indices = words<V>(block, 2 + r / 2 * 8);
    const typename V::I seven = bit_field<V>(words<V>(block, 6 + r / 2 * 8), 7 * eight, 127);
    const int half = i / 4 % 2;
    const typename V::I entry =
        look_up_half<V>(kIq2XxsTable.words, bit_field<V>(indices, 8 * eight, 255), half);
    return V::negate_b(V::bytes_of(entry), signs_of_seven<V>(seven, half));
  }
};

struct DecodeIQ2_XS : GridBlock<0, 8>, OddNibbleScales<66> {
  static constexpr int kBytes = 74;
  static constexpr int kGroup = 16;
  static constexpr int kBias = 43;
  static constexpr int kMostCode = 86;
  template <class V>
  static typename V::B codes(const uint8_t* block, int /*s*/, int r, int i) {
    const typename V::I pair = words<V>(block, 2 + 4 * r);
    const int half = i / 4 % 2;
    const typename V::I index = bit_field<V>(pair, i / 8 * 16, 511);
    const typename V::I seven = bit_field<V>(pair, i / 8 * 16 + 9, 127);
    return V::negate_b(V::bytes_of(look_up_half<V>(kIq2XsTable.words, index, half)),
                       signs_of_seven<V>(seven, half));
  }
};

struct DecodeIQ2_S : GridBlock<0, 8>, OddNibbleScales<74> {
  static constexpr int kBytes = 82;
  static constexpr int kGroup = 16;
  static constexpr int kBias = 43;
  static constexpr int kMostCode = 86;
  template <class V>
  static typename V::B codes(const uint8_t* block, int /*s*/, int r, int i) {
    const int at = r / 2 * 4;
    const int eight = r % 2 * 2 + i / 8;
    const int half = i / 4 % 2;
    const typename V::I low = bit_field<V>(words<V>(block, 2 + at), 8 * eight, 255);
    const typename V::I high =
        bit_field<V>(words<V>(block, 66 + r / 8 * 4), r / 2 % 4 * 8 + 2 * eight, 3);
    const typename V::I signs = V::shift_right(words<V>(block, 34 + at), 8 * eight + 4 * half);
    const typename V::I index = V::or_i(low, V::shift_left(high, 8));
    return V::negate_b(V::bytes_of(look_up_half<V>(kIq2STable.words, index, half)), signs);
  }
};

struct DecodeIQ3_XXS : GridBlock<0, 4>, TopNibbleScales<66, 4> {
  static constexpr int kBytes = 98;
  static constexpr int kGroup = 32;
  static constexpr int kBias = 62;
  static constexpr int kMostCode = 124;
  template <class V>
  static typename V::B codes(const uint8_t* block, int /*s*/, int r, int i) {
    const typename V::I index = bit_field<V>(words<V>(block, 2 + 4 * r), i / 4 * 8, 255);
    const int eight = r % 2 * 2 + i / 8;
    const typename V::I seven = bit_field<V>(words<V>(block, 66 + r / 2 * 4), 7 * eight, 127);
    return V::negate_b(V::bytes_of(V::gather(kIq3XxsTable.words, index)),
                       signs_of_seven<V>(seven, i / 4 % 2));
  }
};

struct DecodeIQ3_S : GridBlock<0, 1>, OddNibbleScales<106> {
  static constexpr int kBytes = 110;
  static constexpr int kGroup = 32;
  static constexpr int kBias = 15;
  static constexpr int kMostCode = 30;
  template <class V>
  static typename V::B codes(const uint8_t* block, int /*s*/, int r, int i) {
    const typename V::I low = bit_field<V>(words<V>(block, 2 + 4 * r), i / 4 * 8, 255);
    const typename V::I high = bit_field<V>(words<V>(block, 66 + r / 8 * 4), r % 8 * 4 + i / 4, 1);
    const typename V::I signs = V::shift_right(words<V>(block, 74 + r / 2 * 4), r % 2 * 16 + i);
    const typename V::I index = V::or_i(low, V::shift_left(high, 8));
    return V::negate_b(V::bytes_of(V::gather(kIq3STable.words, index)), signs);
  }
};

/// Eight times the elements of half an entry, plus 1, or minus 1 where the lane of `less` is 1.
template <class V>
inline typename V::B iq1_codes(typename V::I index, int half, typename V::I less) {
  const typename V::I ones = V::sub_i(V::set1_i(0), less);
  const typename V::B shift = V::bytes_of(V::or_i(ones, V::set1_i(0x01010101)));
  const typename V::B entry = V::bytes_of(look_up_half<V>(kIq1Table.words, index, half));
  return V::sub_b(entry, V::sub_b(V::set1_b(0), shift));
}

struct DecodeIQ1_S : GridBlock<0, 8> {
  static constexpr int kBytes = 50;
  static constexpr int kGroup = 32;
  static constexpr int kBias = 9;
  static constexpr int kMostCode = 18;
  static constexpr bool kHasFactors = true;
  template <class V>
  static typename V::F factor(const uint8_t* block, int column, int g) {
    return odd_number<V>(
        bit_field<V>(words<V>(block + 4 * column, 34 + g / 2 * 4), g % 2 * 16 + 12, 7));
  }
  template <class V>
  static typename V::B codes(const uint8_t* block, int /*s*/, int r, int i) {
    const int eight = r % 2 * 2 + i / 8;
    const typename V::I of_group = V::shift_right(words<V>(block, 34 + r / 4 * 4), r / 2 % 2 * 16);
    const typename V::I low = bit_field<V>(words<V>(block, 2 + r / 2 * 4), 8 * eight, 255);
    const typename V::I high = bit_field<V>(of_group, 3 * eight, 7);
    return iq1_codes<V>(V::or_i(low, V::shift_left(high, 8)), i / 4 % 2,
                        bit_field<V>(of_group, 15, 1));
  }
};

struct DecodeIQ1_M : GridBlock<0, 8> {
  static constexpr int kBytes = 56;
  static constexpr int kGroup = 16;
  static constexpr int kBias = 9;
  static constexpr int kMostCode = 18;
  static constexpr bool kHasFactors = true;
  template <class V>
  static typename V::I upper_at(const uint8_t* block, int i) {
    return V::shift_right(byte_at<V>(block, i), 4);
  }
  template <class V>
  static Scale<V> head(const uint8_t* block) {
    const typename V::I low =
        V::or_i(upper_at<V>(block, 49), V::shift_left(upper_at<V>(block, 51), 4));
    const typename V::I high =
        V::or_i(upper_at<V>(block, 53), V::shift_left(upper_at<V>(block, 55), 4));
    const typename V::I bits = V::or_i(low, V::shift_left(high, 8));
    return {V::mul(V::float_of_half(bits), V::set1(0.125f)), V::zero()};
  }
  template <class V>
  static typename V::F factor(const uint8_t* block, int column, int g) {
    const int at = 48 + g / 4 * 2;
    const typename V::I pair = V::or_i(byte_at<V>(block + column, at),
                                       V::shift_left(byte_at<V>(block + column, at + 1), 8));
    return odd_number<V>(bit_field<V>(pair, g % 4 * 3, 7));
  }
  template <class V>
  static typename V::B codes(const uint8_t* block, int /*s*/, int r, int i) {
    const typename V::I low = bit_field<V>(words<V>(block, r / 2 * 4), r % 2 * 16 + i / 8 * 8, 255);
    const typename V::I bits =
        V::shift_right(words<V>(block, 32 + r / 4 * 4), r % 4 * 8 + i / 8 * 4);
    const typename V::I high = V::and_i(bits, V::set1_i(7));
    return iq1_codes<V>(V::or_i(low, V::shift_left(high, 8)), i / 4 % 2, bit_field<V>(bits, 3, 1));
  }
};

// Ternary numbers, and codes of few bits ----------------------------------------------------------

struct DecodeTQ1_0 : GridBlock<52, 1> {
  static constexpr int kBytes = 54;
  static constexpr int kGroup = 32;
  static constexpr int kBias = 1;
  static constexpr int kMostCode = 2;
  static constexpr int kScaleBias = -1;
  /// The digit after `place` of numbers in 16 bits: the integer part of 3 frac(3^place x / 256).
  template <class V>
  static typename V::I digits(typename V::I x, int place) {
    for (int n = 0; n < place; ++n) x = V::add_i(x, V::add_i(x, x));
    x = V::and_i(x, V::set1_i(0x00ff00ff));
    return V::and_i(V::shift_right(V::add_i(x, V::add_i(x, x)), 8), V::set1_i(0x00ff00ff));
  }
  template <class V>
  static typename V::B codes(const uint8_t* block, int /*s*/, int r, int i) {
    const int at = r < 10 ? r % 2 * 16 + i : r < 15 ? 32 + i : 48;
    const int place = r < 10 ? r / 2 : r < 15 ? r - 10 : i / 4;
    const typename V::I bytes = words<V>(block, at);
    const typename V::I mask = V::set1_i(0x00ff00ff);
    const typename V::I even = digits<V>(V::and_i(bytes, mask), place);
    const typename V::I odd = digits<V>(V::and_i(V::shift_right(bytes, 8), mask), place);
    return minus<V>(V::bytes_of(V::or_i(even, V::shift_left(odd, 8))), 1);
  }
};

struct DecodeTQ2_0 : Block256, HalfScale<64, false> {
  static constexpr int kBytes = 66;
  static constexpr int kBias = 1;
  static constexpr int kMostCode = 3;
  static constexpr int kPanelParts = 1;
  static constexpr int kScaleBias = -1;
  template <class V>
  static typename V::B codes(const uint8_t* block, int s, int r, int i) {
    return minus<V>(bits<V>(block + s * 32 * kPanelColumns, r % 2 * 16 + i, r / 2 * 2, 3), 1);
  }
};

/// Codes twice the E2M1 numbers; the scales are E4M3 without sign. Its bits in the upper part of a
/// half give 2^-8 of the number, subnormal ones as well; 0x7f counts as zero.
struct DecodeNVFP4 {
  static constexpr int kElements = 64;
  static constexpr int kBytes = 36;
  static constexpr int kGroup = 16;
  static constexpr bool kHasOffset = false;
  static constexpr int kBias = 16;
  static constexpr int kMostCode = 28;
  static constexpr int kAlike = 1;
  static constexpr int kApart = 1;
  static constexpr bool kGroupSplit = false;
  static constexpr int kSection = 4;
  static constexpr int kPanelParts = 3;
  static constexpr int kScaleBias = 0;
  static constexpr bool kHasFactors = true;
  template <class V>
  static Scale<V> head(const uint8_t*) {
    return {V::set1(1.0f), V::zero()};
  }
  template <class V>
  static typename V::F factor(const uint8_t* block, int column, int g) {
    const typename V::I e4m3 = byte_at<V>(block + column, g);
    const typename V::I half = V::shift_left(V::and_i(e4m3, V::set1_i(127)), 7);
    const typename V::F number = V::mul(V::float_of_half(half), V::set1(128.0f));
    const typename V::F bits = V::to_float(e4m3);
    const typename V::F below = V::select_less(bits, V::set1(127.0f), number, V::zero());
    return V::select_less(V::set1(127.0f), bits, number, below);
  }
  template <class V>
  static typename V::B codes(const uint8_t* block, int /*s*/, int r, int i) {
    return V::look_up_b(kMxfp4Values, nibbles<V>(block, 4 + 8 * r + i % 8, i / 8));
  }
};

/// The common properties of Q1_0 and Q2_0.
struct FewBitBlock : HalfScale<0, false> {
  static constexpr int kBytes = 18;
  static constexpr int kGroup = 32;
  static constexpr int kAlike = 1;
  static constexpr int kApart = 1;
  static constexpr bool kGroupSplit = false;
  static constexpr int kBias = 1;
  static constexpr int kPanelParts = 1;
  static constexpr int kScaleBias = -1;
};

struct DecodeQ1_0 : FewBitBlock {
  static constexpr int kElements = 128;
  static constexpr int kSection = 8;
  static constexpr int kMostCode = 2;
  template <class V>
  static typename V::B codes(const uint8_t* block, int /*s*/, int r, int i) {
    const typename V::I bits = V::shift_right(words<V>(block, 2 + r / 2 * 4), r % 2 * 16 + i);
    return V::negate_b(V::set1_b(-1), bits);
  }
};

struct DecodeQ2_0 : FewBitBlock {
  static constexpr int kElements = 64;
  static constexpr int kSection = 4;
  static constexpr int kMostCode = 3;
  template <class V>
  static typename V::B codes(const uint8_t* block, int /*s*/, int r, int i) {
    const typename V::I byte = bit_field<V>(words<V>(block, 2 + 4 * r), i / 4 * 8, 255);
    const typename V::I two = V::or_i(byte, V::shift_left(byte, 6));
    const typename V::I spread = V::or_i(two, V::shift_left(two, 12));
    return minus<V>(V::bytes_of(V::and_i(spread, V::set1_i(0x03030303))), 1);
  }
};

// Blocks of Hugging Face folders ------------------------------------------------------------------

/// step * code - step * zero.
template <int kN>
struct DecodeInt4 {
  static constexpr int kElements = kN;
  static constexpr int kBytes = 3 + kN / 2;
  static constexpr int kGroup = 32;
  static constexpr bool kHasOffset = true;
  static constexpr int kBias = 0;
  static constexpr int kMostCode = 15;
  static constexpr int kAlike = 1;
  static constexpr int kApart = 1;
  static constexpr bool kGroupSplit = true;
  static constexpr int kSection = 2;
  static constexpr int kPanelParts = 3;
  static constexpr int kScaleBias = -1;
  template <class V>
  static Scale<V> head(const uint8_t* block) {
    const typename V::I bits =
        V::or_i(byte_at<V>(block, 0), V::shift_left(byte_at<V>(block, 1), 8));
    const typename V::I flags = byte_at<V>(block, 2);
    const typename V::F step =
        V::select_less(V::to_float(flags), V::set1(128.0f), V::float_of_half(bits),
                       V::float_of_bits(V::shift_left(bits, 16)));
    const typename V::F zero = V::to_float(V::and_i(flags, V::set1_i(31)));
    return {step, negated<V>(V::mul(step, zero))};
  }
  template <class V>
  static typename V::B codes(const uint8_t* block, int s, int r, int i) {
    return nibbles<V>(block + s * 16 * kPanelColumns, 3 + i, r);
  }
};

struct DecodeInt8 {
  static constexpr int kElements = 128;
  static constexpr int kBytes = 132;
  static constexpr int kGroup = 32;
  static constexpr bool kHasOffset = false;
  static constexpr int kBias = 128;
  static constexpr int kMostCode = 255;
  static constexpr int kAlike = 1;
  static constexpr int kApart = 1;
  static constexpr bool kGroupSplit = false;
  static constexpr int kSection = 2;
  static constexpr int kPanelParts = 3;
  static constexpr int kScaleBias = -1;
  template <class V>
  static Scale<V> head(const uint8_t* block) {
    const typename V::I low = V::or_i(byte_at<V>(block, 0), V::shift_left(byte_at<V>(block, 1), 8));
    const typename V::I high =
        V::or_i(byte_at<V>(block, 2), V::shift_left(byte_at<V>(block, 3), 8));
    return {V::float_of_bits(V::or_i(low, V::shift_left(high, 16))), V::zero()};
  }
  template <class V>
  static typename V::B codes(const uint8_t* block, int s, int r, int i) {
    return V::load_b(block + (4 + 32 * s + 16 * r + i) * kPanelColumns);
  }
};

}  // namespace
}  // namespace quire::cpu
