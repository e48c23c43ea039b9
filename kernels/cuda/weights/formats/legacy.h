#pragma once

#include "kernels/cuda/weights/formats/codes.h"

/// GGUF's types with blocks of 32: a unit of 64 inputs has two blocks of each row.
///
/// A unit is the 4-bit codes (512 bytes: a lane's four words are its four steps), the plane of
/// fifth bits (128 bytes, a word a lane), and for each g < 8 the four scales of rows g and g + 8 in
/// the first block and in the second (8 bytes), with the four minima after them where there are
/// any. Fragments are f16. Against dequantize_row a value is rounded once, to the nearest f16: it
/// differs by at most 2^-11 of itself, or 2^-25 where that is more. Beyond 65,504 it is infinite.
namespace quire::cuda {

/// The four scales of a lane's rows.
struct BlockScales {
  uint32_t blocks[2];

  __device__ __forceinline__ static BlockScales load(const uint8_t* at, int lane) {
    const uint2 loaded = __ldcs(reinterpret_cast<const uint2*>(at) + lane / 4);
    return {{loaded.x, loaded.y}};
  }
  __device__ __forceinline__ uint32_t row_g(int step) const { return low_twice(blocks[step / 2]); }
  __device__ __forceinline__ uint32_t row_g8(int step) const {
    return high_twice(blocks[step / 2]);
  }
};

/// The same with minima.
struct BlockScalesAndMinima {
  BlockScales scales;
  BlockScales minima;

  __device__ __forceinline__ static BlockScalesAndMinima load(const uint8_t* at, int lane) {
    const uint4 loaded = __ldcs(reinterpret_cast<const uint4*>(at) + lane / 4);
    return {{{loaded.x, loaded.y}}, {{loaded.z, loaded.w}}};
  }
};

/// Q4_0: scale * (code - 8). 4.5 bits a weight.
struct Q4_0Format {
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
    take_nibbles<8>(unit.codes[step], q);
    scale_codes(q, unit.scales.row_g(step), unit.scales.row_g8(step), a);
  }
};

/// Q4_1: scale * code + minimum. 5 bits a weight.
struct Q4_1Format {
  static constexpr Half kHalf = Half::kF16;
  static constexpr int kUnitInputs = 64;
  static constexpr int kUnitBytes = kRunBytes + 128;

  struct Unit {
    uint32_t codes[4];
    BlockScalesAndMinima blocks;
  };

  __device__ __forceinline__ static Unit load(const uint8_t* unit, int lane) {
    Unit loaded;
    load_runs<1>(unit, lane, loaded.codes);
    loaded.blocks = BlockScalesAndMinima::load(unit + kRunBytes, lane);
    return loaded;
  }

  __device__ __forceinline__ static void fragment(const Unit& unit, int step, uint32_t (&a)[4]) {
    uint32_t q[4];
    take_nibbles<0>(unit.codes[step], q);
    scale_codes(q, unit.blocks.scales.row_g(step), unit.blocks.scales.row_g8(step),
                unit.blocks.minima.row_g(step), unit.blocks.minima.row_g8(step), a);
  }
};

/// Bytes of a plane of one bit a code of 64 inputs.
inline constexpr int kBitPlaneBytes = 4 * kWarpSize;

__device__ __forceinline__ uint32_t load_bit_plane(const uint8_t* at, int lane) {
  return __ldcs(reinterpret_cast<const unsigned*>(at) + lane);
}

/// Q5_0: scale * (code - 16). 5.5 bits a weight.
struct Q5_0Format {
  static constexpr Half kHalf = Half::kF16;
  static constexpr int kUnitInputs = 64;
  static constexpr int kUnitBytes = kRunBytes + kBitPlaneBytes + 64;

  struct Unit {
    uint32_t codes[4];
    uint32_t fifth_bits;
    BlockScales scales;
  };

  __device__ __forceinline__ static Unit load(const uint8_t* unit, int lane) {
    Unit loaded;
    load_runs<1>(unit, lane, loaded.codes);
    loaded.fifth_bits = load_bit_plane(unit + kRunBytes, lane);
    loaded.scales = BlockScales::load(unit + kRunBytes + kBitPlaneBytes, lane);
    return loaded;
  }

  __device__ __forceinline__ static void fragment(const Unit& unit, int step, uint32_t (&a)[4]) {
    uint32_t high[2];
    take_high_bits(unit.fifth_bits, step, high);
    uint32_t q[4];
    take_nibbles_and<1, 16>(unit.codes[step], high, q);
    scale_codes(q, unit.scales.row_g(step), unit.scales.row_g8(step), a);
  }
};

/// Q5_1: scale * code + minimum. 6 bits a weight.
struct Q5_1Format {
  static constexpr Half kHalf = Half::kF16;
  static constexpr int kUnitInputs = 64;
  static constexpr int kUnitBytes = kRunBytes + kBitPlaneBytes + 128;

  struct Unit {
    uint32_t codes[4];
    uint32_t fifth_bits;
    BlockScalesAndMinima blocks;
  };

  __device__ __forceinline__ static Unit load(const uint8_t* unit, int lane) {
    Unit loaded;
    load_runs<1>(unit, lane, loaded.codes);
    loaded.fifth_bits = load_bit_plane(unit + kRunBytes, lane);
    loaded.blocks = BlockScalesAndMinima::load(unit + kRunBytes + kBitPlaneBytes, lane);
    return loaded;
  }

  __device__ __forceinline__ static void fragment(const Unit& unit, int step, uint32_t (&a)[4]) {
    uint32_t high[2];
    take_high_bits(unit.fifth_bits, step, high);
    uint32_t q[4];
    take_nibbles_and<1, 0>(unit.codes[step], high, q);
    scale_codes(q, unit.blocks.scales.row_g(step), unit.blocks.scales.row_g8(step),
                unit.blocks.minima.row_g(step), unit.blocks.minima.row_g8(step), a);
  }
};

/// Q8_0: scale * (byte - 128), two words a step: byte h + 2 (r % 2) of word r / 2 for half h of
/// register r. 8.5 bits a weight.
struct Q8_0Format {
  static constexpr Half kHalf = Half::kF16;
  static constexpr int kUnitInputs = 64;
  static constexpr int kUnitBytes = 2 * kRunBytes + 64;

  struct Unit {
    uint32_t codes[8];
    BlockScales scales;
  };

  __device__ __forceinline__ static Unit load(const uint8_t* unit, int lane) {
    Unit loaded;
    load_runs<2>(unit, lane, loaded.codes);
    loaded.scales = BlockScales::load(unit + 2 * kRunBytes, lane);
    return loaded;
  }

  __device__ __forceinline__ static void fragment(const Unit& unit, int step, uint32_t (&a)[4]) {
    uint32_t q[4];
#pragma unroll
    for (int r = 0; r < 4; ++r) q[r] = take_bytes<128>(unit.codes[2 * step + r / 2], r % 2);
    scale_codes(q, unit.scales.row_g(step), unit.scales.row_g8(step), a);
  }
};

}  // namespace quire::cuda
