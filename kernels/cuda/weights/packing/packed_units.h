#pragma once

#include "kernels/cuda/weights/format_dispatch.h"
#include "kernels/cuda/weights/packing/packed_sections.h"

/// What each 4-byte word of a unit holds, format by format: Packing<Format>::word(tile, w) for w up
/// to kUnitBytes / 4.
namespace quire::cuda {

inline constexpr int kRunWords = kRunBytes / 4;

template <typename Format>
struct Packing;

template <Half kKind>
struct Packing<HalvesFormat<kKind>> {
  __device__ static uint32_t word(const RawTile& tile, int w) {
    const int lane = w / 4 % kWarpSize;
    return half_at(tile, FragmentPlace(lane, w / 128, w % 4, 0)) |
           half_at(tile, FragmentPlace(lane, w / 128, w % 4, 1)) << 16;
  }

 private:
  __device__ static uint32_t half_at(const RawTile& tile, const FragmentPlace& place) {
    if (place.row >= tile.num_rows || place.input >= tile.num_inputs) return 0;
    const uint32_t bits = raw_u16(tile.rows + place.row * tile.pitch_bytes + place.input * 2);
    if (kKind == Half::kBF16 || !tile.is_bf16) return bits;
    const float value = bf16_to_float(static_cast<uint16_t>(bits));
    if (value > 65504.0f) return float_to_f16(65504.0f);
    if (value < -65504.0f) return float_to_f16(-65504.0f);
    return float_to_f16(value);
  }
};

template <typename Blocks, bool kHalvesAdjacent = false>
struct NibblePacking {
  __device__ static uint32_t word(const RawTile& tile, int w) {
    if (w < kRunWords) return nibble_word<Blocks, kHalvesAdjacent>(tile, w);
    return block_scales_word<Blocks>(tile, w - kRunWords);
  }
};
template <>
struct Packing<Q4_0Format> : NibblePacking<Q4_0Blocks> {};
template <>
struct Packing<Iq4NlFormat> : NibblePacking<Iq4NlBlocks, true> {};

template <>
struct Packing<Q4_1Format> {
  __device__ static uint32_t word(const RawTile& tile, int w) {
    if (w < kRunWords) return nibble_word<Q4_1Blocks>(tile, w);
    return block_scales_and_minima_word<Q4_1Blocks>(tile, w - kRunWords);
  }
};

template <>
struct Packing<Q5_0Format> {
  __device__ static uint32_t word(const RawTile& tile, int w) {
    if (w < kRunWords) return nibble_word<Q5_0Blocks>(tile, w);
    w -= kRunWords;
    if (w < kWarpSize) return fifth_bits_word<Q5_0Blocks>(tile, w, 0);
    return block_scales_word<Q5_0Blocks>(tile, w - kWarpSize);
  }
};

template <>
struct Packing<Q5_1Format> {
  __device__ static uint32_t word(const RawTile& tile, int w) {
    if (w < kRunWords) return nibble_word<Q5_1Blocks>(tile, w);
    w -= kRunWords;
    if (w < kWarpSize) return fifth_bits_word<Q5_1Blocks>(tile, w, 0);
    return block_scales_and_minima_word<Q5_1Blocks>(tile, w - kWarpSize);
  }
};

template <>
struct Packing<Q8_0Format> {
  __device__ static uint32_t word(const RawTile& tile, int w) {
    if (w < 2 * kRunWords) return byte_word<Q8_0Blocks>(tile, w);
    return block_scales_word<Q8_0Blocks>(tile, w - 2 * kRunWords);
  }
};

template <>
struct Packing<Q2KFormat> {
  __device__ static uint32_t word(const RawTile& tile, int w) {
    if (w < 2 * kRunWords) return two_bit_word(tile, w);
    w -= 2 * kRunWords;
    if (w < kPartScalesBytes / 4) return part_bytes_word<Q2KBlocks, 4>(tile, w);
    return super_scale_and_minimum_word<Q2KBlocks>(tile, w - kPartScalesBytes / 4);
  }
};

/// SignedScales.
template <typename Blocks>
__device__ uint32_t signed_scales_word(const RawTile& tile, int w) {
  if (w < kPartScalesBytes / 4) return part_bytes_word<Blocks, 4>(tile, w);
  return super_scales_word<Blocks>(tile, w - kPartScalesBytes / 4);
}
/// ScalesAndMinima.
template <typename Blocks>
__device__ uint32_t scales_and_minima_word(const RawTile& tile, int w) {
  if (w < kPartScalesBytes / 4) return part_pairs_word<Blocks>(tile, w);
  return super_scale_and_minimum_word<Blocks>(tile, w - kPartScalesBytes / 4);
}

template <>
struct Packing<Q3KFormat> {
  __device__ static uint32_t word(const RawTile& tile, int w) {
    if (w < 3 * kRunWords) return three_bit_word(tile, w);
    return signed_scales_word<Q3KBlocks>(tile, w - 3 * kRunWords);
  }
};

template <>
struct Packing<Q4KFormat> {
  __device__ static uint32_t word(const RawTile& tile, int w) {
    if (w < 4 * kRunWords) return nibble_word<Q4KBlocks>(tile, w);
    return scales_and_minima_word<Q4KBlocks>(tile, w - 4 * kRunWords);
  }
};

template <>
struct Packing<Q5KFormat> {
  __device__ static uint32_t word(const RawTile& tile, int w) {
    if (w < 4 * kRunWords) return nibble_word<Q5KBlocks>(tile, w);
    w -= 4 * kRunWords;
    if (w < kRunWords) return fifth_bits_word<Q5KBlocks>(tile, w / 4, w % 4);
    return scales_and_minima_word<Q5KBlocks>(tile, w - kRunWords);
  }
};

template <>
struct Packing<Q6KFormat> {
  __device__ static uint32_t word(const RawTile& tile, int w) {
    if (w < 4 * kRunWords) return nibble_word<Q6KBlocks>(tile, w);
    w -= 4 * kRunWords;
    if (w < 2 * kRunWords) return high_pairs_word<Q6KBlocks>(tile, w);
    return signed_scales_word<Q6KBlocks>(tile, w - 2 * kRunWords);
  }
};

template <>
struct Packing<Iq4XsFormat> {
  __device__ static uint32_t word(const RawTile& tile, int w) {
    if (w < 4 * kRunWords) return nibble_word<Iq4XsBlocks, true>(tile, w);
    w -= 4 * kRunWords;
    if (w < 32) return part_bytes_word<Iq4XsBlocks, 2>(tile, w);
    return super_scales_word<Iq4XsBlocks>(tile, w - 32);
  }
};

template <Half kKind>
struct Packing<Mxfp4Format<kKind>> {
  __device__ static uint32_t word(const RawTile& tile, int w) {
    if (w < kRunWords) return nibble_word<Mxfp4Blocks>(tile, w);
    const int g = w - kRunWords;
    uint32_t word = 0;
    for (int i = 0; i < 4; ++i) word |= exponent(tile, g + 8 * (i % 2), i / 2) << (8 * i);
    return word;
  }

 private:
  __device__ static uint32_t exponent(const RawTile& tile, int row, int index) {
    const uint8_t* const b = tile.block<Mxfp4Blocks>(row, index);
    if (b == nullptr) return 0;
    const int e = Mxfp4Blocks::exponent(b);
    const int stored = kKind == Half::kBF16 ? e - 1 : min(e - 98, 30);
    return static_cast<uint32_t>(max(stored, 0));
  }
};

}  // namespace quire::cuda
