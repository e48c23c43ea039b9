#pragma once

#include "kernels/base/dequantize.h"
#include "kernels/cuda/weights/formats/codes.h"
#include "kernels/cuda/weights/formats/legacy.h"

/// GGUF's types whose 4-bit codes are no integers: IQ4_NL and IQ4_XS take values from a table of 16
/// integers, MXFP4's codes are floating-point numbers (E2M1) with a power of two for 32 of them
/// (OCP Microscaling Formats 1.0).
namespace quire::cuda {

/// Four of kIq4Values, 128 more than they are, in a word.
__host__ __device__ constexpr uint32_t iq4_word(int first) {
  uint32_t word = 0;
  for (int i = 0; i < 4; ++i) {
    word |= static_cast<uint32_t>(kIq4Values[first + i] + 128) << (8 * i);
  }
  return word;
}

/// The bytes for the four codes in the lower 16 bits of `selectors`, of which the fourth bits are
/// cleared here and stand in the third bits of `uppers` with the places 0 to 3.
__device__ __forceinline__ uint32_t look_up_iq4(uint32_t selectors, uint32_t uppers) {
  constexpr uint32_t kWord0 = iq4_word(0);
  constexpr uint32_t kWord1 = iq4_word(4);
  constexpr uint32_t kWord2 = iq4_word(8);
  constexpr uint32_t kWord3 = iq4_word(12);
  const uint32_t lower_half = __byte_perm(kWord0, kWord1, selectors);
  const uint32_t upper_half = __byte_perm(kWord2, kWord3, selectors);
  return __byte_perm(lower_half, upper_half, uppers);
}

/// The values of one step's eight codes: nibble 2 r + h is the one for half h of register r.
__device__ __forceinline__ void take_iq4(uint32_t word, uint32_t (&q)[4]) {
  const uint32_t selectors = word & 0x77777777u;
  const uint32_t uppers = masked_or(word >> 1, 0x44444444u, 0x32103210u);
  const uint32_t first = look_up_iq4(selectors, uppers);
  const uint32_t second = look_up_iq4(selectors >> 16, uppers >> 16);
  q[0] = take_bytes<128>(first, 0);
  q[1] = take_bytes<128>(first, 1);
  q[2] = take_bytes<128>(second, 0);
  q[3] = take_bytes<128>(second, 1);
}

/// IQ4_NL: scale * value, blocks of 32; scales and rounding as in legacy.h. 4.5 bits a weight.
struct Iq4NlFormat {
  static constexpr Half kHalf = Half::kF16;
  static constexpr int kUnitInputs = 64;
  static constexpr int kUnitBytes = kRunBytes + 64;

  struct Unit {
    uint32_t codes[4];
    BlockScales scales;
  };

  __device__ __forceinline__ static Unit load(const uint8_t* unit, int lane) {
    Unit loaded;
    load_runs<1>(unit, lane, loaded.codes);
    loaded.scales = BlockScales::load(unit + kRunBytes, lane);
    return loaded;
  }

  __device__ __forceinline__ static void fragment(const Unit& unit, int step, uint32_t (&a)[4]) {
    uint32_t q[4];
    take_iq4(unit.codes[step], q);
    scale_codes(q, unit.scales.row_g(step), unit.scales.row_g8(step), a);
  }
};

/// IQ4_XS: d * part scale * value, blocks of 256 in parts of 32. After the codes come 8 bytes of
/// part scales (128 more than they are) for each of the 16 rows, then for each g < 8 the d of rows
/// g and g + 8. d * part scale is rounded to f16, then the product: a value differs by at most
/// 2^-10 of itself, or 2^-25 (times 128 for the scale) where that is more. 4.3125 bits a weight.
struct Iq4XsFormat {
  static constexpr Half kHalf = Half::kF16;
  static constexpr int kUnitInputs = 256;
  static constexpr int kUnitBytes = 4 * kRunBytes + 128 + 32;

  struct Unit {
    uint32_t codes[16];
    uint32_t parts_g[2];
    uint32_t parts_g8[2];
    uint32_t blocks;
  };

  __device__ __forceinline__ static Unit load(const uint8_t* unit, int lane) {
    Unit loaded;
    load_runs<4>(unit, lane, loaded.codes);
    const auto* const rows = reinterpret_cast<const uint2*>(unit + 4 * kRunBytes) + lane / 4;
    const uint2 g = __ldcs(rows);
    const uint2 g8 = __ldcs(rows + 8);
    loaded.parts_g[0] = g.x;
    loaded.parts_g[1] = g.y;
    loaded.parts_g8[0] = g8.x;
    loaded.parts_g8[1] = g8.y;
    loaded.blocks =
        __ldcs(reinterpret_cast<const unsigned*>(unit + 4 * kRunBytes + 128) + lane / 4);
    return loaded;
  }

  __device__ __forceinline__ static void fragment(const Unit& unit, int step, uint32_t (&a)[4]) {
    uint32_t q[4];
    take_iq4(unit.codes[step], q);
    // Those of this part and of its neighbour, so that the neighbour need not compute them again.
    const uint32_t g = fma_f16x2(take_bytes<128>(unit.parts_g[step / 8], step / 4 % 2),
                                 low_twice(unit.blocks), kF16x2Zero);
    const uint32_t g8 = fma_f16x2(take_bytes<128>(unit.parts_g8[step / 8], step / 4 % 2),
                                  high_twice(unit.blocks), kF16x2Zero);
    if (step / 2 % 2 == 0) {
      scale_codes(q, low_twice(g), low_twice(g8), a);
    } else {
      scale_codes(q, high_twice(g), high_twice(g8), a);
    }
  }
};

/// MXFP4: an E2M1 code's sign and other three bits, moved to where the half's sign and its
/// exponent's lower two bits with the first of its mantissa are, are that number times a power of
/// two, the subnormal 0.5 included. Nibbles in take_nibbles' order; after the codes for each g < 8
/// four exponent bytes, of rows g and g + 8 in the first block and in the second. 4.25 bits a
/// weight.
///
/// bf16: exact, except that blocks with an exponent byte under 2 (values under 10^-37) are zero.
/// The byte stored is the file's less 1. f16, for devices without bf16 tensor cores: exact from
/// 2^-24 on and rounded once below; a block with an exponent byte over 128 (values over 12)
/// saturates as if it were 128. The byte stored is the file's less 98, the bits of 2^(byte - 113).
template <Half kKind>
struct Mxfp4Format {
  static constexpr Half kHalf = kKind;
  static constexpr int kUnitInputs = 64;
  static constexpr int kUnitBytes = kRunBytes + 32;

  struct Unit {
    uint32_t codes[4];
    uint32_t exponents;
  };

  __device__ __forceinline__ static Unit load(const uint8_t* unit, int lane) {
    Unit loaded;
    load_runs<1>(unit, lane, loaded.codes);
    loaded.exponents = __ldcs(reinterpret_cast<const unsigned*>(unit + kRunBytes) + lane / 4);
    return loaded;
  }

  __device__ __forceinline__ static void fragment(const Unit& unit, int step, uint32_t (&a)[4]) {
    const uint32_t g = power(unit.exponents, step / 2 * 2);
    const uint32_t g8 = power(unit.exponents, step / 2 * 2 + 1);
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      const uint32_t power = r % 2 == 0 ? g : g8;
      if constexpr (kHalf == Half::kBF16) {
        constexpr uint32_t kTwoTo127 = 0x7f007f00u;  // The codes are 2^-126 times their numbers.
        a[r] = fma_bf16x2(fma_bf16x2(code(unit.codes[step], r), kTwoTo127, 0), power, 0);
      } else {
        a[r] = fma_f16x2(code(unit.codes[step], r), power, 0);
      }
    }
  }

 private:
  static constexpr int kMantissaBits = kKind == Half::kBF16 ? 7 : 10;

  __device__ __forceinline__ static uint32_t code(uint32_t word, int r) {
    constexpr uint32_t kMask = (7u << (kMantissaBits - 1)) * 0x10001u;
    const uint32_t top = word << (12 - 4 * r);
    return masked_or(top, 0x80008000u, (top >> (13 - kMantissaBits)) & kMask);
  }
  __device__ __forceinline__ static uint32_t power(uint32_t exponents, int which) {
    return __byte_perm(exponents, 0, 0x4040 | which | which << 8) << kMantissaBits;
  }
};

}  // namespace quire::cuda
