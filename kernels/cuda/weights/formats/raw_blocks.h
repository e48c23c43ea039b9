#pragma once

#include "kernels/cuda/device/portable.h"

/// GGUF's blocks as in files, read by the packing kernels: codes without their zero point
/// subtracted, and the bits of scales. The layouts are those of kernels/base/dequantize.cpp; blocks
/// have any alignment.
namespace quire::cuda {

__device__ __forceinline__ uint32_t raw_u16(const uint8_t* p) {
  return static_cast<uint32_t>(p[0]) | static_cast<uint32_t>(p[1]) << 8;
}
/// kBits bits of a byte, from bit `shift` on.
template <int kBits>
__device__ __forceinline__ uint32_t raw_bits(uint8_t byte, int shift) {
  return (static_cast<uint32_t>(byte) >> shift) & ((1u << kBits) - 1u);
}
/// Element i of 32 whose lower halves come first.
__device__ __forceinline__ uint32_t raw_nibble(const uint8_t* codes, int i) {
  return raw_bits<4>(codes[i % 16], i / 16 * 4);
}
/// Element i of 256 in two bits each, as Q2_K and Q3_K have them.
__device__ __forceinline__ uint32_t raw_pair(const uint8_t* codes, int i) {
  return raw_bits<2>(codes[i / 128 * 32 + i % 32], i % 128 / 32 * 2);
}

/// A scale in front, a minimum after it where the format has one, and nibbles from kCodesAt on.
template <int kBlockBytes, int kCodesAt>
struct NibbleBlocks {
  static constexpr int kElements = 32;
  static constexpr int kBytes = kBlockBytes;
  __device__ static uint32_t code(const uint8_t* b, int i) { return raw_nibble(b + kCodesAt, i); }
  __device__ static uint32_t scale(const uint8_t* b) { return raw_u16(b); }
  __device__ static uint32_t minimum(const uint8_t* b) { return raw_u16(b + 2); }
};
using Q4_0Blocks = NibbleBlocks<18, 2>;
using Q4_1Blocks = NibbleBlocks<20, 4>;
using Iq4NlBlocks = NibbleBlocks<18, 2>;

/// As NibbleBlocks, with the fifth bits of the codes in front of the nibbles.
template <int kBlockBytes, int kBitsAt>
struct FiveBitBlocks : NibbleBlocks<kBlockBytes, kBitsAt + 4> {
  __device__ static uint32_t code(const uint8_t* b, int i) {
    return raw_nibble(b + kBitsAt + 4, i) | raw_bits<1>(b[kBitsAt + i / 8], i % 8) << 4;
  }
};
using Q5_0Blocks = FiveBitBlocks<22, 2>;
using Q5_1Blocks = FiveBitBlocks<24, 4>;

struct Q8_0Blocks {
  static constexpr int kElements = 32;
  static constexpr int kBytes = 34;
  /// 128 more than the signed byte.
  __device__ static uint32_t code(const uint8_t* b, int i) { return b[2 + i] ^ 0x80u; }
  __device__ static uint32_t scale(const uint8_t* b) { return raw_u16(b); }
};

struct Mxfp4Blocks {
  static constexpr int kElements = 32;
  static constexpr int kBytes = 17;
  __device__ static uint32_t code(const uint8_t* b, int i) { return raw_nibble(b + 1, i); }
  __device__ static int exponent(const uint8_t* b) { return b[0]; }
};

struct Q2KBlocks {
  static constexpr int kElements = 256;
  static constexpr int kBytes = 84;
  __device__ static uint32_t code(const uint8_t* b, int i) { return raw_pair(b + 16, i); }
  /// Scale and minimum of 16 elements, four bits each.
  __device__ static uint32_t part(const uint8_t* b, int p) { return b[p]; }
  __device__ static uint32_t scale(const uint8_t* b) { return raw_u16(b + 80); }
  __device__ static uint32_t minimum(const uint8_t* b) { return raw_u16(b + 82); }
};

struct Q3KBlocks {
  static constexpr int kElements = 256;
  static constexpr int kBytes = 110;
  __device__ static uint32_t code(const uint8_t* b, int i) {
    return raw_pair(b + 32, i) | raw_bits<1>(b[i % 32], i / 32) << 2;
  }
  /// 128 more than the scale of 16 elements.
  __device__ static uint32_t part(const uint8_t* b, int p) {
    const uint8_t* const scales = b + 96;
    const uint32_t low = raw_bits<4>(scales[p % 8], p / 8 * 4);
    return (low | raw_bits<2>(scales[8 + p % 4], p / 4 * 2) << 4) + 96u;
  }
  __device__ static uint32_t scale(const uint8_t* b) { return raw_u16(b + 108); }
};

/// The common layout of Q4_K and Q5_K: first a scale, a minimum and 12 bytes of parts.
template <int kBlockBytes, int kNibblesAt>
struct MinimumBlocks {
  static constexpr int kElements = 256;
  static constexpr int kBytes = kBlockBytes;
  __device__ static uint32_t code(const uint8_t* b, int i) {
    return raw_bits<4>(b[kNibblesAt + i / 64 * 32 + i % 32], i % 64 / 32 * 4);
  }
  /// Scale and minimum of 32 elements, six bits each: a byte each, the scale in the lower one.
  __device__ static uint32_t part(const uint8_t* b, int p) {
    const uint8_t* const parts = b + 4;
    if (p < 4) return (parts[p] & 63u) | (parts[p + 4] & 63u) << 8;
    const uint32_t scale = raw_bits<4>(parts[p + 4], 0) | raw_bits<2>(parts[p - 4], 6) << 4;
    const uint32_t minimum = raw_bits<4>(parts[p + 4], 4) | raw_bits<2>(parts[p], 6) << 4;
    return scale | minimum << 8;
  }
  __device__ static uint32_t scale(const uint8_t* b) { return raw_u16(b); }
  __device__ static uint32_t minimum(const uint8_t* b) { return raw_u16(b + 2); }
};
using Q4KBlocks = MinimumBlocks<144, 16>;

struct Q5KBlocks : MinimumBlocks<176, 48> {
  __device__ static uint32_t code(const uint8_t* b, int i) {
    return MinimumBlocks::code(b, i) | raw_bits<1>(b[16 + i % 32], i / 32) << 4;
  }
};

struct Q6KBlocks {
  static constexpr int kElements = 256;
  static constexpr int kBytes = 210;
  __device__ static uint32_t code(const uint8_t* b, int i) {
    const int half = i / 128;
    const int quarter = i % 128 / 32;
    const uint32_t low = raw_bits<4>(b[half * 64 + quarter % 2 * 32 + i % 32], quarter / 2 * 4);
    return low | raw_bits<2>(b[128 + half * 32 + i % 32], quarter * 2) << 4;
  }
  /// 128 more than the scale of 16 elements.
  __device__ static uint32_t part(const uint8_t* b, int p) { return b[192 + p] ^ 0x80u; }
  __device__ static uint32_t scale(const uint8_t* b) { return raw_u16(b + 208); }
};

struct Iq4XsBlocks {
  static constexpr int kElements = 256;
  static constexpr int kBytes = 136;
  __device__ static uint32_t code(const uint8_t* b, int i) {
    return raw_nibble(b + 8 + i / 32 * 16, i % 32);
  }
  /// 128 more than the scale of 32 elements.
  __device__ static uint32_t part(const uint8_t* b, int p) {
    const uint32_t low = raw_bits<4>(b[4 + p / 2], p % 2 * 4);
    return (low | ((raw_u16(b + 2) >> (2 * p)) & 3u) << 4) + 96u;
  }
  __device__ static uint32_t scale(const uint8_t* b) { return raw_u16(b); }
};

/// The raw rows of one unit's 16 outputs, from its first input on. Codes and scales past the rows
/// and inputs are zero.
struct RawTile {
  const uint8_t* rows;  ///< The first row.
  int64_t pitch_bytes;  ///< Between consecutive rows.
  int num_rows;         ///< Of 16.
  int num_inputs;       ///< Of kUnitInputs.
  int first_input;      ///< Of the unit in its first block: not 0 in blocks of several units.
  bool is_bf16;         ///< Of 16-bit rows.

  /// Block `index` of the row, or null if there is none.
  template <typename Blocks>
  __device__ const uint8_t* block(int row, int index) const {
    if (row >= num_rows || index * Blocks::kElements >= num_inputs) return nullptr;
    return rows + row * pitch_bytes + index * Blocks::kBytes;
  }
  template <typename Blocks>
  __device__ uint32_t code(int row, int input) const {
    const int of_block = first_input + input;
    const uint8_t* const b = block<Blocks>(row, of_block / Blocks::kElements);
    return b == nullptr ? 0 : Blocks::code(b, of_block % Blocks::kElements);
  }
  template <typename Blocks>
  __device__ uint32_t scale(int row, int index) const {
    const uint8_t* const b = block<Blocks>(row, index);
    return b == nullptr ? 0 : Blocks::scale(b);
  }
  template <typename Blocks>
  __device__ uint32_t minimum(int row, int index) const {
    const uint8_t* const b = block<Blocks>(row, index);
    return b == nullptr ? 0 : Blocks::minimum(b);
  }
  /// The scale of a part of the first block.
  template <typename Blocks>
  __device__ uint32_t part(int row, int p) const {
    const uint8_t* const b = block<Blocks>(row, 0);
    return b == nullptr ? 0 : Blocks::part(b, p);
  }
};

/// The row and input, in a unit, of half h of register r of a lane at a step (tensor_core.h).
struct FragmentPlace {
  int row;
  int input;

  __device__ FragmentPlace(int lane, int step, int r, int h)
      : row(lane / 4 + 8 * (r % 2)), input(16 * step + lane % 4 * 2 + h + 8 * (r / 2)) {}
};

template <typename Blocks>
__device__ uint32_t code_at(const RawTile& tile, int lane, int step, int r, int h) {
  const FragmentPlace place(lane, step, r, h);
  return tile.code<Blocks>(place.row, place.input);
}

/// Word w of runs of 512 bytes: 16 bytes of each lane, run after run.
struct RunPlace {
  int lane;
  int word;  ///< Of the lane's words.

  __device__ explicit RunPlace(int w) : lane(w / 4 % kWarpSize), word(w / 128 * 4 + w % 4) {}
};

}  // namespace quire::cuda
