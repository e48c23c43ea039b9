#pragma once

#include "kernels/base/quant_blocks.h"
#include "kernels/cuda/device/numeric.h"
#include "kernels/cuda/weights/formats/raw_blocks.h"

/// The types of quant_blocks.h, in units of the file's blocks: those of the first row, then of the
/// second and so on. Every lane reads the bytes of its elements from the caches when it needs them,
/// so that no table has to be unpacked into a unit. A value is rounded once, to f16, and infinite
/// beyond 65,504.
namespace quire::cuda {

/// A pointer into a block of a unit. Blocks begin at even addresses there and their 16-bit numbers
/// at even offsets, so that such a number is one load.
struct EvenBytes {
  const uint8_t* at;

  __device__ __forceinline__ EvenBytes operator+(int n) const { return {at + n}; }
  __device__ __forceinline__ uint8_t operator[](int i) const { return at[i]; }
};
__device__ __forceinline__ uint32_t u16_at(EvenBytes bytes) {
  return *reinterpret_cast<const uint16_t*>(bytes.at);
}

template <typename Blocks>
struct WholeBlocksFormat {
  static constexpr Half kHalf = Half::kF16;
  static constexpr int kUnitInputs = Blocks::kElements > 64 ? 256 : 64;
  static constexpr int kRowBytes = kUnitInputs / Blocks::kElements * Blocks::kBytes;
  static constexpr int kUnitBytes = 16 * kRowBytes;
  static_assert(Blocks::kBytes % 2 == 0);  // For EvenBytes.

  struct Unit {
    const uint8_t* row_g = nullptr;
    unsigned first_input = 0;  ///< Of each step's 16.
  };

  __device__ __forceinline__ static Unit load(const uint8_t* unit, int lane) {
    return {unit + lane / 4 * kRowBytes, static_cast<unsigned>(lane) % 4 * 2};
  }
  __device__ __forceinline__ static void fragment(const Unit& unit, int step, uint32_t (&a)[4]) {
    const uint4 halves = decode(unit.row_g, 16 * static_cast<unsigned>(step) + unit.first_input);
    a[0] = halves.x;
    a[1] = halves.y;
    a[2] = halves.z;
    a[3] = halves.w;
  }
  __device__ static uint32_t word(const RawTile& tile, int w) {
    uint32_t word = 0;
    for (int i = 0; i < 4; ++i) {
      const int at = 4 * w + i;
      const int of_row = at % kRowBytes;
      const uint8_t* const b = tile.block<Blocks>(at / kRowBytes, of_row / Blocks::kBytes);
      if (b != nullptr) word |= static_cast<uint32_t>(b[of_row % Blocks::kBytes]) << (8 * i);
    }
    return word;
  }

 private:
  /// A lane's fragment of mma.m16n8k16: of rows g and g + 8, what decode_row() gives. Not inlined:
  /// 16 copies in a loop need more registers than a thread has.
  __device__ __noinline__ static uint4 decode(const uint8_t* row_g, unsigned input) {
    const uint2 g = decode_row(row_g, input);
    const uint2 g8 = decode_row(row_g + 8 * kRowBytes, input);
    return make_uint4(g.x, g8.x, g.y, g8.y);
  }
  /// Elements `input` and input + 8 of a row, each with the next one; bits 0 and 3 of `input` are
  /// not set. (With `|` instead of `+` the compiler sees what the four have in common.)
  __device__ __forceinline__ static uint2 decode_row(const uint8_t* row, unsigned input) {
    const EvenBytes b = {row + input / Blocks::kElements * Blocks::kBytes};
    const auto i = static_cast<int>(input % Blocks::kElements);
    const float scale = f16_to_float(static_cast<uint16_t>(Blocks::scale(b)));
    const float factor = scale * Blocks::factor(b, i / 16);
    const auto pair = [&](int first) {
      return pack_f16x2(factor * blocks::number<Blocks>(b, first),
                        factor * blocks::number<Blocks>(b, first | 1));
    };
    return make_uint2(pair(i), pair(i | 8));
  }
};

using Iq2XxsFormat = WholeBlocksFormat<blocks::Iq2Xxs>;
using Iq2XsFormat = WholeBlocksFormat<blocks::Iq2Xs>;
using Iq2SFormat = WholeBlocksFormat<blocks::Iq2S>;
using Iq3XxsFormat = WholeBlocksFormat<blocks::Iq3Xxs>;
using Iq3SFormat = WholeBlocksFormat<blocks::Iq3S>;
using Iq1SFormat = WholeBlocksFormat<blocks::Iq1S>;
using Iq1MFormat = WholeBlocksFormat<blocks::Iq1M>;
using Tq1_0Format = WholeBlocksFormat<blocks::Tq1_0>;
using Tq2_0Format = WholeBlocksFormat<blocks::Tq2_0>;
using Q1_0Format = WholeBlocksFormat<blocks::Q1_0>;
using Q2_0Format = WholeBlocksFormat<blocks::Q2_0>;

}  // namespace quire::cuda
