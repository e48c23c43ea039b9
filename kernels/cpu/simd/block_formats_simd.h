#pragma once

// GGUF's quantised formats; included only by int8_unpack_simd.h. Each performs the float operations
// of dequantize_row in the same order, so the bits are the same. A format defines:
//   kElements, kBytes   of a block
//   kGroup              inputs that share a scale: 16 or 32
//   kHasOffset          whether an offset is added after the scaling
//   kBias               added to a code to make it unsigned; 128 if the code uses all of a byte
//   kMostCode           the largest unsigned code
//   kAlike, kApart      kAlike groups, each kApart groups after the one before, have their codes in
//                       the same bytes (kApart 2: the groups in between use the bytes 16 further)
//   kGroupSplit         whether inputs i and i + 16 of a group share a byte
//   kPanelParts         up to so many parts of rows (V::kInt8Rows each) are multiplied straight
//                       from the panel, which was measured to be faster than unpacking it first
//   kScaleBias          a group's scale is its code minus this; -1 if all groups have the scale of
//                       the block
//   head(block)         the scale and the offset of a block
//   scale_code(block, g), offset_code(block, g)
//                       the factors of the block's scale and offset for group g; the offset is then
//                       subtracted. One byte for each lane of four vectors
//   kSection            runs of 16 inputs whose bytes are adjacent; all sections have the same
//                       layout, except for single bits that all sections share
//   codes(block, s, r, i)
//                       the signed numbers to be scaled, of inputs i to i + 3 (i a multiple of 4
//                       below 16) of run r < kSection of section s: four bytes a lane
// block points at byte 0 of the first output, for codes at its first four bytes
// (block_bits_simd.h).

#include "kernels/base/dequantize.h"
#include "kernels/cpu/simd/block_bits_simd.h"

namespace quire::cpu {
namespace {

// Blocks of 32 with one scale ---------------------------------------------------------------------

/// A half-precision scale at byte kAt and, if kOffset, an offset after it.
template <int kAt, bool kOffset>
struct HalfScale {
  static constexpr bool kHasOffset = kOffset;
  template <class V>
  static Scale<V> head(const uint8_t* block) {
    return {half_at<V>(block, kAt), kOffset ? half_at<V>(block, kAt + 2) : V::zero()};
  }
};

template <bool kOffset>
struct Block32 : HalfScale<0, kOffset> {
  static constexpr int kElements = 32;
  static constexpr int kGroup = 32;
  static constexpr int kScaleBias = -1;
  static constexpr int kAlike = 1;
  static constexpr int kApart = 1;
  static constexpr bool kGroupSplit = true;
  static constexpr int kSection = 2;
  static constexpr int kPanelParts = 3;
};

struct DecodeQ4_0 : Block32<false> {
  static constexpr int kBytes = 18;
  static constexpr int kBias = 8;
  static constexpr int kMostCode = 15;
  template <class V>
  static typename V::B codes(const uint8_t* block, int /*s*/, int r, int i) {
    return minus<V>(nibbles<V>(block, 2 + i, r), 8);
  }
};

struct DecodeQ4_1 : Block32<true> {
  static constexpr int kBytes = 20;
  static constexpr int kBias = 0;
  static constexpr int kMostCode = 15;
  template <class V>
  static typename V::B codes(const uint8_t* block, int /*s*/, int r, int i) {
    return nibbles<V>(block, 4 + i, r);
  }
};

/// Four bits at byte 4 + kAt + i, the fifth in the 32 bits at kAt, in the order that panels have.
template <class V, int kAt>
inline typename V::B five_bits(const uint8_t* block, int r, int i) {
  const typename V::B high = moved_bits<V>(block, kAt, 4 * r + i / 4, 4, 1);
  return V::or_b(nibbles<V>(block, kAt + 4 + i, r), high);
}

struct DecodeQ5_0 : Block32<false> {
  static constexpr int kBytes = 22;
  static constexpr int kBias = 16;
  static constexpr int kMostCode = 31;
  template <class V>
  static typename V::B codes(const uint8_t* block, int /*s*/, int r, int i) {
    return minus<V>(five_bits<V, 2>(block, r, i), 16);
  }
};

struct DecodeQ5_1 : Block32<true> {
  static constexpr int kBytes = 24;
  static constexpr int kBias = 0;
  static constexpr int kMostCode = 31;
  template <class V>
  static typename V::B codes(const uint8_t* block, int /*s*/, int r, int i) {
    return five_bits<V, 4>(block, r, i);
  }
};

struct DecodeQ8_0 : Block32<false> {
  static constexpr int kBytes = 34;
  static constexpr int kBias = 128;
  static constexpr int kMostCode = 255;
  static constexpr bool kGroupSplit = false;
  template <class V>
  static typename V::B codes(const uint8_t* block, int /*s*/, int r, int i) {
    return V::load_b(block + (2 + 16 * r + i) * kPanelColumns);
  }
};

struct DecodeIQ4_NL : Block32<false> {
  static constexpr int kBytes = 18;
  static constexpr int kBias = 128;
  static constexpr int kMostCode = 255;
  template <class V>
  static typename V::B codes(const uint8_t* block, int /*s*/, int r, int i) {
    return V::look_up_b(kIq4Values, nibbles<V>(block, 2 + i, r));
  }
};

struct DecodeMXFP4 : Block32<false> {
  static constexpr int kBytes = 17;
  static constexpr int kBias = 16;
  static constexpr int kMostCode = 28;
  /// Half of 2^(e - 127): below 2 a subnormal float, 0x00200000 << e, which is 2^(e - 128) too.
  template <class V>
  static Scale<V> head(const uint8_t* block) {
    const typename V::I e = byte_at<V>(block, 0);
    const typename V::I normal = V::shift_left(V::sub_i(e, V::set1_i(1)), 23);
    const typename V::I subnormal = V::shift_left_each(V::set1_i(0x00200000), e);
    return {V::select_less(V::to_float(e), V::set1(2.0f), V::float_of_bits(subnormal),
                           V::float_of_bits(normal)),
            V::zero()};
  }
  template <class V>
  static typename V::B codes(const uint8_t* block, int /*s*/, int r, int i) {
    return V::look_up_b(kMxfp4Values, nibbles<V>(block, 1 + i, r));
  }
};

// Blocks of 256, whose scales are quantised themselves --------------------------------------------

/// The common properties of Q2_K, Q3_K and Q6_K: groups of 16.
struct Block256 {
  static constexpr int kElements = 256;
  static constexpr int kAlike = 4;
  static constexpr int kApart = 2;
  static constexpr bool kGroupSplit = false;
  static constexpr int kSection = 8;
  static constexpr int kGroup = 16;
};

struct DecodeQ2_K : Block256, HalfScale<80, true> {
  static constexpr int kBytes = 84;
  static constexpr int kBias = 0;
  static constexpr int kMostCode = 3;
  static constexpr int kPanelParts = 1;
  static constexpr int kScaleBias = 0;
  template <class V>
  static typename V::B scale_code(const uint8_t* block, int g) {
    return nibbles<V>(block, g, 0);
  }
  template <class V>
  static typename V::B offset_code(const uint8_t* block, int g) {
    return nibbles<V>(block, g, 1);
  }
  template <class V>
  static typename V::B codes(const uint8_t* block, int s, int r, int i) {
    return bits<V>(block + s * 32 * kPanelColumns, 16 + r % 2 * 16 + i, r / 2 * 2, 3);
  }
};

struct DecodeQ3_K : Block256, HalfScale<108, false> {
  static constexpr int kBytes = 110;
  static constexpr int kBias = 4;
  static constexpr int kMostCode = 7;
  static constexpr int kPanelParts = 0;
  static constexpr int kScaleBias = 32;
  template <class V>
  static typename V::B scale_code(const uint8_t* block, int g) {
    return six_bits<V>(block, 96 + g % 8, g / 8, 96 + 8 + g % 4, g / 4 * 2);
  }
  template <class V>
  static typename V::B codes(const uint8_t* block, int s, int r, int i) {
    const int at = r % 2 * 16 + i;
    const typename V::B low = bits<V>(block + s * 32 * kPanelColumns, 32 + at, r / 2 * 2, 3);
    const typename V::B high = V::shift_right_b(V::load_b(block + at * kPanelColumns), 4 * s);
    return minus<V>(V::or_b(low, moved<V>(high, r / 2, 2, 1)), 4);
  }
};

/// The common properties of Q4_K and Q5_K: scales and minimums of six bits.
struct BlockWithMinimums : HalfScale<0, true> {
  static constexpr int kElements = 256;
  static constexpr int kGroup = 32;
  static constexpr int kAlike = 2;
  static constexpr int kApart = 1;
  static constexpr bool kGroupSplit = false;
  static constexpr int kSection = 4;
  static constexpr int kScaleBias = 0;
  template <class V>
  static typename V::B scale_code(const uint8_t* block, int g) {
    return g < 4 ? bits<V>(block, 4 + g, 0, 63) : six_bits<V>(block, 8 + g, 0, g, 6);
  }
  template <class V>
  static typename V::B offset_code(const uint8_t* block, int g) {
    return g < 4 ? bits<V>(block, 8 + g, 0, 63) : six_bits<V>(block, 8 + g, 1, 4 + g, 6);
  }
};

struct DecodeQ4_K : BlockWithMinimums {
  static constexpr int kBytes = 144;
  static constexpr int kBias = 0;
  static constexpr int kMostCode = 15;
  static constexpr int kPanelParts = 1;
  template <class V>
  static typename V::B codes(const uint8_t* block, int s, int r, int i) {
    return nibbles<V>(block + s * 32 * kPanelColumns, 16 + r % 2 * 16 + i, r / 2);
  }
};

struct DecodeQ5_K : BlockWithMinimums {
  static constexpr int kBytes = 176;
  static constexpr int kBias = 0;
  static constexpr int kMostCode = 31;
  static constexpr int kPanelParts = 0;
  template <class V>
  static typename V::B codes(const uint8_t* block, int s, int r, int i) {
    const int at = r % 2 * 16 + i;
    const typename V::B low = nibbles<V>(block + s * 32 * kPanelColumns, 48 + at, r / 2);
    const typename V::B high =
        V::shift_right_b(V::load_b(block + (16 + at) * kPanelColumns), 2 * s);
    return V::or_b(low, moved<V>(high, r / 2, 4, 1));
  }
};

struct DecodeQ6_K : Block256, HalfScale<208, false> {
  static constexpr int kBytes = 210;
  static constexpr int kBias = 32;
  static constexpr int kMostCode = 63;
  static constexpr int kPanelParts = 0;
  static constexpr int kScaleBias = 128;
  template <class V>
  static typename V::B scale_code(const uint8_t* block, int g) {
    return minus<V>(V::load_b(block + (192 + g) * kPanelColumns), -128);
  }
  template <class V>
  static typename V::B codes(const uint8_t* block, int s, int r, int i) {
    const int quarter = r / 2;
    const int at = r % 2 * 16 + i;
    const typename V::B low =
        nibbles<V>(block + s * 64 * kPanelColumns, quarter % 2 * 32 + at, quarter / 2);
    const typename V::B high =
        moved_bits<V>(block + s * 32 * kPanelColumns, 128 + at, quarter * 2, 4, 3);
    return minus<V>(V::or_b(low, high), 32);
  }
};

struct DecodeIQ4_XS : HalfScale<0, false> {
  static constexpr int kElements = 256;
  static constexpr int kBytes = 136;
  static constexpr int kBias = 128;
  static constexpr int kMostCode = 255;
  static constexpr int kPanelParts = 3;
  static constexpr int kAlike = 1;
  static constexpr int kApart = 1;
  static constexpr bool kGroupSplit = true;
  static constexpr int kSection = 2;
  static constexpr int kGroup = 32;
  static constexpr int kScaleBias = 32;
  template <class V>
  static typename V::B scale_code(const uint8_t* block, int g) {
    return six_bits<V>(block, 4 + g / 2, g % 2, 2 + g / 4, g % 4 * 2);
  }
  template <class V>
  static typename V::B codes(const uint8_t* block, int s, int r, int i) {
    return V::look_up_b(kIq4Values, nibbles<V>(block + s * 16 * kPanelColumns, 8 + i, r));
  }
};

}  // namespace
}  // namespace quire::cpu
