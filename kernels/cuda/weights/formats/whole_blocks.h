#pragma once

#include "kernels/base/quant_blocks.h"
#include "kernels/cuda/device/numeric.h"
#include "kernels/cuda/weights/formats/raw_blocks.h"

/// The types of quant_blocks.h, in units of the file's blocks: those of the first row, then of the
/// second and so on. Every lane reads the bytes of its elements from the caches when it needs them,
/// so that no table has to be unpacked into a unit. A value is rounded once, to f16, and infinite
/// beyond 65,504.
namespace quire::cuda {

template <typename Blocks>
struct WholeBlocksFormat {
  static constexpr Half kHalf = Half::kF16;
  static constexpr int kUnitInputs = Blocks::kElements > 64 ? 256 : 64;
  static constexpr int kRowBytes = kUnitInputs / Blocks::kElements * Blocks::kBytes;
  static constexpr int kUnitBytes = 16 * kRowBytes;

  struct Unit {
    const uint8_t* row_g = nullptr;
    int first_input = 0;  ///< Of each step's 16.
  };

  __device__ __forceinline__ static Unit load(const uint8_t* unit, int lane) {
    return {unit + lane / 4 * kRowBytes, lane % 4 * 2};
  }
  __device__ static void fragment(const Unit& unit, int step, uint32_t (&a)[4]) {
    for (int r = 0; r < 4; ++r) {
      const int input = 16 * step + unit.first_input + 8 * (r / 2);
      const uint8_t* const b =
          unit.row_g + r % 2 * (8 * kRowBytes) + input / Blocks::kElements * Blocks::kBytes;
      const int i = input % Blocks::kElements;
      const float scale = f16_to_float(static_cast<uint16_t>(Blocks::scale(b)));
      const float factor = scale * Blocks::factor(b, i / 16);
      a[r] = pack_f16x2(factor * blocks::number<Blocks>(b, i),
                        factor * blocks::number<Blocks>(b, i + 1));
    }
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
