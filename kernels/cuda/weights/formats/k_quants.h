#pragma once

#include "kernels/cuda/weights/formats/codes.h"

/// GGUF's K-quants: blocks of 256 inputs, whose parts of 16 or 32 inputs have scales (and minima)
/// of a few bits, which the block's own scale d (and dmin) multiplies. A unit is one block of each
/// row.
///
/// A unit is the codes in runs of 512 bytes (16 a lane), then 16 bytes of part scales for each of
/// the 16 rows, then for each g < 8 what rows g and g + 8 have for the whole block. Fragments are
/// f16: scale = d * part scale and minimum = dmin * part minimum are rounded to f16, then scale *
/// code - minimum. Against dequantize_row a value differs by at most 2^-11 of each of |scale *
/// code|, |minimum| and itself, or for each of these 2^-25 (times the code, for the scale) where
/// that is more. Beyond 65,504 it is infinite.
namespace quire::cuda {

/// The part scales of a lane's two rows: 16 bytes each.
struct PartScales {
  uint32_t row_g[4];
  uint32_t row_g8[4];

  __device__ __forceinline__ static PartScales load(const uint8_t* at, int lane) {
    const auto* const rows = reinterpret_cast<const uint4*>(at) + lane / 4;
    const uint4 g = __ldcs(rows);
    const uint4 g8 = __ldcs(rows + 8);
    return {{g.x, g.y, g.z, g.w}, {g8.x, g8.y, g8.z, g8.w}};
  }
};
inline constexpr int kPartScalesBytes = 16 * 16;

/// Scale and minimum as (scale, -minimum) in two halves.
__device__ __forceinline__ uint32_t scale_and_minimum(uint32_t parts, uint32_t block) {
  return fma_f16x2(parts, block, kF16x2Zero);
}

/// (d, -dmin) of a lane's two rows.
__device__ __forceinline__ uint2 load_blocks_with_minimum(const uint8_t* at, int lane) {
  return __ldcs(reinterpret_cast<const uint2*>(at) + lane / 4);
}
/// (d of row g, d of row g + 8).
__device__ __forceinline__ uint32_t load_blocks(const uint8_t* at, int lane) {
  return __ldcs(reinterpret_cast<const unsigned*>(at) + lane / 4);
}

/// Scales and minima of Q4_K and Q5_K: bytes 2 p and 2 p + 1 of a row's part scales are the scale
/// and the minimum of part p, of 32 inputs.
struct ScalesAndMinima {
  PartScales parts;
  uint2 blocks;

  __device__ __forceinline__ static ScalesAndMinima load(const uint8_t* at, int lane) {
    return {PartScales::load(at, lane), load_blocks_with_minimum(at + kPartScalesBytes, lane)};
  }
  static constexpr int kBytes = kPartScalesBytes + 64;

  __device__ __forceinline__ void apply(const uint32_t (&q)[4], int step, uint32_t (&a)[4]) const {
    const int part = step / 2;
    const uint32_t g = scale_and_minimum(take_bytes<0>(parts.row_g[part / 2], part % 2), blocks.x);
    const uint32_t g8 =
        scale_and_minimum(take_bytes<0>(parts.row_g8[part / 2], part % 2), blocks.y);
    scale_codes(q, low_twice(g), low_twice(g8), high_twice(g), high_twice(g8), a);
  }
};

/// Scales of Q3_K and Q6_K: byte p of a row's part scales is 128 more than that of part p, of 16
/// inputs.
struct SignedScales {
  PartScales parts;
  uint32_t blocks;

  __device__ __forceinline__ static SignedScales load(const uint8_t* at, int lane) {
    return {PartScales::load(at, lane), load_blocks(at + kPartScalesBytes, lane)};
  }
  static constexpr int kBytes = kPartScalesBytes + 32;

  __device__ __forceinline__ void apply(const uint32_t (&q)[4], int step, uint32_t (&a)[4]) const {
    // Those of this step and of its neighbour, so that the neighbour need not compute them again.
    const uint32_t g = fma_f16x2(take_bytes<128>(parts.row_g[step / 4], step / 2 % 2),
                                 low_twice(blocks), kF16x2Zero);
    const uint32_t g8 = fma_f16x2(take_bytes<128>(parts.row_g8[step / 4], step / 2 % 2),
                                  high_twice(blocks), kF16x2Zero);
    if (step % 2 == 0) {
      scale_codes(q, low_twice(g), low_twice(g8), a);
    } else {
      scale_codes(q, high_twice(g), high_twice(g8), a);
    }
  }
};

/// Q2_K: two bits a code, word m for steps 2 m and 2 m + 1: bit 8 s + 2 r of each half is where the
/// code of register r of step 2 m + s begins. The part scales' bytes are the file's: scale in the
/// lower four bits, minimum in the upper, of 16 inputs. 2.625 bits a weight.
struct Q2KFormat {
  static constexpr Half kHalf = Half::kF16;
  static constexpr int kUnitInputs = 256;
  static constexpr int kUnitBytes = 2 * kRunBytes + kPartScalesBytes + 64;

  struct Unit {
    uint32_t codes[8];
    PartScales parts;
    uint2 blocks;
  };

  __device__ __forceinline__ static Unit load(const uint8_t* unit, int lane) {
    Unit loaded;
    load_runs<2>(unit, lane, loaded.codes);
    loaded.parts = PartScales::load(unit + 2 * kRunBytes, lane);
    loaded.blocks = load_blocks_with_minimum(unit + 2 * kRunBytes + kPartScalesBytes, lane);
    return loaded;
  }

  __device__ __forceinline__ static void fragment(const Unit& unit, int step, uint32_t (&a)[4]) {
    const uint32_t word = unit.codes[step / 2] >> (step % 2 * 8);
    const uint32_t q[4] = {take_codes<2, 0, 0>(word), take_codes<2, 2, 0>(word),
                           take_codes<2, 4, 0>(word), take_codes<2, 6, 0>(word)};
    const uint32_t g = part(unit.parts.row_g[step / 4], step % 4, unit.blocks.x);
    const uint32_t g8 = part(unit.parts.row_g8[step / 4], step % 4, unit.blocks.y);
    scale_codes(q, low_twice(g), low_twice(g8), high_twice(g), high_twice(g8), a);
  }

 private:
  /// (scale, -minimum) from byte `which` of the word.
  __device__ __forceinline__ static uint32_t part(uint32_t word, int which, uint32_t block) {
    constexpr uint32_t kFactors = (f16_twice(1.0f) & 0xffffu) | (f16_twice(0.0625f) & 0xffff0000u);
    constexpr uint32_t kAddends =
        (f16_twice(-1024.0f) & 0xffffu) | (f16_twice(-64.0f) & 0xffff0000u);
    const uint32_t twice = __byte_perm(word, 0, 0x4040 | which | which << 8);
    const uint32_t halves = masked_or(twice, 0x00f0000fu, kF16x2Magic);
    return scale_and_minimum(fma_f16x2(halves, kFactors, kAddends), block);
  }
};

/// Q3_K: scale * (code - 4); three words for 64 inputs, each half of a word five codes from bit 0
/// on and one bit more. The codes in order are those of registers 4 s + r, s the step of four, and
/// the sixteenth is bit 15 of the three words. 3.5625 bits a weight.
struct Q3KFormat {
  static constexpr Half kHalf = Half::kF16;
  static constexpr int kUnitInputs = 256;
  static constexpr int kUnitBytes = 3 * kRunBytes + SignedScales::kBytes;

  struct Unit {
    uint32_t codes[12];
    SignedScales scales;
  };

  __device__ __forceinline__ static Unit load(const uint8_t* unit, int lane) {
    Unit loaded;
    load_runs<3>(unit, lane, loaded.codes);
    loaded.scales = SignedScales::load(unit + 3 * kRunBytes, lane);
    return loaded;
  }

  __device__ __forceinline__ static void fragment(const Unit& unit, int step, uint32_t (&a)[4]) {
    const int first = step / 4 * 3;
    uint32_t q[4];
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      const int index = step % 4 * 4 + r;
      q[r] = index < 15
                 ? code(unit.codes[first + index / 5], index % 5)
                 : last_code(unit.codes[first], unit.codes[first + 1], unit.codes[first + 2]);
    }
    unit.scales.apply(q, step, a);
  }

 private:
  __device__ __forceinline__ static uint32_t code(uint32_t word, int place) {
    switch (place) {
      case 0:
        return take_codes<3, 0, 4>(word);
      case 1:
        return take_codes<3, 3, 4>(word);
      case 2:
        return take_codes<3, 6, 4>(word);
      case 3:
        return take_codes<3, 0, 4>(word >> 9);
      default:
        return take_codes<3, 3, 4>(word >> 9);
    }
  }
  __device__ __forceinline__ static uint32_t last_code(uint32_t w0, uint32_t w1, uint32_t w2) {
    const uint32_t low = masked_or(w0 >> 15, 0x00010001u, kF16x2Magic);
    const uint32_t middle = masked_or(w1 >> 14, 0x00020002u, low);
    return centred<0, 4>(masked_or(w2 >> 13, 0x00040004u, middle));
  }
};

/// Q4_K: nibbles in order (codes.h). 4.625 bits a weight.
struct Q4KFormat {
  static constexpr Half kHalf = Half::kF16;
  static constexpr int kUnitInputs = 256;
  static constexpr int kUnitBytes = 4 * kRunBytes + ScalesAndMinima::kBytes;

  struct Unit {
    uint32_t codes[16];
    ScalesAndMinima scales;
  };

  __device__ __forceinline__ static Unit load(const uint8_t* unit, int lane) {
    Unit loaded;
    load_runs<4>(unit, lane, loaded.codes);
    loaded.scales = ScalesAndMinima::load(unit + 4 * kRunBytes, lane);
    return loaded;
  }

  __device__ __forceinline__ static void fragment(const Unit& unit, int step, uint32_t (&a)[4]) {
    uint32_t q[4];
    take_nibbles<0>(unit.codes[step], q);
    unit.scales.apply(q, step, a);
  }
};

/// Q5_K: nibbles, then a run with a plane of fifth bits. 5.625 bits a weight.
struct Q5KFormat {
  static constexpr Half kHalf = Half::kF16;
  static constexpr int kUnitInputs = 256;
  static constexpr int kUnitBytes = 5 * kRunBytes + ScalesAndMinima::kBytes;

  struct Unit {
    uint32_t codes[16];
    uint32_t fifth_bits[4];
    ScalesAndMinima scales;
  };

  __device__ __forceinline__ static Unit load(const uint8_t* unit, int lane) {
    Unit loaded;
    load_runs<4>(unit, lane, loaded.codes);
    load_runs<1>(unit + 4 * kRunBytes, lane, loaded.fifth_bits);
    loaded.scales = ScalesAndMinima::load(unit + 5 * kRunBytes, lane);
    return loaded;
  }

  __device__ __forceinline__ static void fragment(const Unit& unit, int step, uint32_t (&a)[4]) {
    uint32_t high[2];
    take_high_bits(unit.fifth_bits[step / 4], step, high);
    uint32_t q[4];
    take_nibbles_and<1, 0>(unit.codes[step], high, q);
    unit.scales.apply(q, step, a);
  }
};

/// Q6_K: scale * (code - 32); nibbles, then two runs with planes of two bits. 6.5625 bits a weight.
struct Q6KFormat {
  static constexpr Half kHalf = Half::kF16;
  static constexpr int kUnitInputs = 256;
  static constexpr int kUnitBytes = 6 * kRunBytes + SignedScales::kBytes;

  struct Unit {
    uint32_t codes[16];
    uint32_t high_pairs[8];
    SignedScales scales;
  };

  __device__ __forceinline__ static Unit load(const uint8_t* unit, int lane) {
    Unit loaded;
    load_runs<4>(unit, lane, loaded.codes);
    load_runs<2>(unit + 4 * kRunBytes, lane, loaded.high_pairs);
    loaded.scales = SignedScales::load(unit + 6 * kRunBytes, lane);
    return loaded;
  }

  __device__ __forceinline__ static void fragment(const Unit& unit, int step, uint32_t (&a)[4]) {
    uint32_t high[2];
    take_high_pairs(unit.high_pairs[step / 2], step, high);
    uint32_t q[4];
    take_nibbles_and<2, 32>(unit.codes[step], high, q);
    unit.scales.apply(q, step, a);
  }
};

}  // namespace quire::cuda
