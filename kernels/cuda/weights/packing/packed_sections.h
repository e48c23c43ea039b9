#pragma once

#include "kernels/cuda/weights/formats/codes.h"
#include "kernels/cuda/weights/packing/raw_blocks.h"

/// The sections that units are made of (formats/), each a function from a word's index to the word.
/// Packing is done once and a word has few readers, so that plainness comes before speed here.
namespace quire::cuda {

/// The raw rows of one unit's 16 outputs, from its first input on.
struct RawTile {
  const uint8_t* rows;  ///< The first one.
  int64_t pitch_bytes;  ///< From one to the next.
  int num_rows;         ///< Of 16: further ones are zero.
  int num_inputs;       ///< Of kUnitInputs: further ones are zero.
  bool is_bf16;         ///< Of 16-bit rows.

  /// Block `index` of the row, or null where there is none.
  template <typename Blocks>
  __device__ const uint8_t* block(int row, int index) const {
    if (row >= num_rows || index * Blocks::kElements >= num_inputs) return nullptr;
    return rows + row * pitch_bytes + index * Blocks::kBytes;
  }
  template <typename Blocks>
  __device__ uint32_t code(int row, int input) const {
    const uint8_t* const b = block<Blocks>(row, input / Blocks::kElements);
    return b == nullptr ? 0 : Blocks::code(b, input % Blocks::kElements);
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

/// Which element of a unit half h of register r of a lane is, at a step (tensor_core.h).
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

/// Codes' lower four bits, a word a step, in take_nibbles' order or with the halves of a register
/// next to each other.
template <typename Blocks, bool kHalvesAdjacent = false>
__device__ uint32_t nibble_word(const RawTile& tile, int w) {
  const RunPlace place(w);
  uint32_t word = 0;
  for (int n = 0; n < 8; ++n) {
    const int r = kHalvesAdjacent ? n / 2 : n % 4;
    const int h = kHalvesAdjacent ? n % 2 : n / 4;
    word |= (code_at<Blocks>(tile, place.lane, place.word, r, h) & 15u) << (4 * n);
  }
  return word;
}

/// Codes' fifth bits: a lane's word for the 64 inputs of that group (take_high_bits).
template <typename Blocks>
__device__ uint32_t fifth_bits_word(const RawTile& tile, int lane, int group) {
  uint32_t word = 0;
  for (int i = 0; i < 32; ++i) {
    const int step = i / 8;
    const int r = i / 2 % 4;
    const int h = i % 2;
    const int j = 2 * step + r / 2;
    const int at = (j < 4 ? j : j + 4) + 4 * (r % 2) + 16 * h;
    word |= (code_at<Blocks>(tile, lane, 4 * group + step, r, h) >> 4 & 1u) << at;
  }
  return word;
}

/// Bits 4 and 5 of the codes, a word for two steps (take_high_pairs).
template <typename Blocks>
__device__ uint32_t high_pairs_word(const RawTile& tile, int w) {
  const RunPlace place(w);
  uint32_t word = 0;
  for (int i = 0; i < 16; ++i) {
    const int step = i / 8;
    const int r = i / 2 % 4;
    const int h = i % 2;
    const int j = 2 * step + r / 2;
    const int at = (j < 2 ? 2 * j : 2 * j + 4) + 4 * (r % 2) + 16 * h;
    word |= (code_at<Blocks>(tile, place.lane, 2 * place.word + step, r, h) >> 4 & 3u) << at;
  }
  return word;
}

/// Q2_K's codes, a word for two steps.
__device__ inline uint32_t two_bit_word(const RawTile& tile, int w) {
  const RunPlace place(w);
  uint32_t word = 0;
  for (int i = 0; i < 16; ++i) {
    const int step = i / 8;
    const int r = i / 2 % 4;
    const int h = i % 2;
    const int at = 8 * step + 2 * r + 16 * h;
    word |= code_at<Q2KBlocks>(tile, place.lane, 2 * place.word + step, r, h) << at;
  }
  return word;
}

/// Q3_K's codes, three words for four steps.
__device__ inline uint32_t three_bit_word(const RawTile& tile, int w) {
  const RunPlace place(w);
  const int first_step = place.word / 3 * 4;
  const int third = place.word % 3;
  uint32_t word = 0;
  for (int h = 0; h < 2; ++h) {
    for (int i = 0; i < 5; ++i) {
      const int index = 5 * third + i;
      const uint32_t code =
          code_at<Q3KBlocks>(tile, place.lane, first_step + index / 4, index % 4, h);
      word |= code << (3 * i + 16 * h);
    }
    const uint32_t last = code_at<Q3KBlocks>(tile, place.lane, first_step + 3, 3, h);
    word |= (last >> third & 1u) << (15 + 16 * h);
  }
  return word;
}

/// Codes of eight bits, two words a step.
template <typename Blocks>
__device__ uint32_t byte_word(const RawTile& tile, int w) {
  const RunPlace place(w);
  uint32_t word = 0;
  for (int i = 0; i < 4; ++i) {
    const int r = place.word % 2 * 2 + i / 2;
    word |= code_at<Blocks>(tile, place.lane, place.word / 2, r, i % 2) << (8 * i);
  }
  return word;
}

/// Scales of the two blocks of 32 in a unit: word 2 g + b for rows g and g + 8, block b.
template <typename Blocks>
__device__ uint32_t block_scales_word(const RawTile& tile, int w) {
  return tile.scale<Blocks>(w / 2, w % 2) | tile.scale<Blocks>(w / 2 + 8, w % 2) << 16;
}
/// The same with minima: words 4 g + b and 4 g + 2 + b.
template <typename Blocks>
__device__ uint32_t block_scales_and_minima_word(const RawTile& tile, int w) {
  const int g = w / 4;
  if (w % 4 < 2) return block_scales_word<Blocks>(tile, 2 * g + w % 2);
  return tile.minimum<Blocks>(g, w % 2) | tile.minimum<Blocks>(g + 8, w % 2) << 16;
}

/// Byte-sized part scales, kWords words a row.
template <typename Blocks, int kWords>
__device__ uint32_t part_bytes_word(const RawTile& tile, int w) {
  uint32_t word = 0;
  for (int i = 0; i < 4; ++i) {
    word |= tile.part<Blocks>(w / kWords, w % kWords * 4 + i) << (8 * i);
  }
  return word;
}
/// Part scales and minima of Q4_K and Q5_K.
template <typename Blocks>
__device__ uint32_t part_pairs_word(const RawTile& tile, int w) {
  return tile.part<Blocks>(w / 4, w % 4 * 2) | tile.part<Blocks>(w / 4, w % 4 * 2 + 1) << 16;
}
/// d of rows g and g + 8 in word g.
template <typename Blocks>
__device__ uint32_t super_scales_word(const RawTile& tile, int w) {
  return tile.scale<Blocks>(w, 0) | tile.scale<Blocks>(w + 8, 0) << 16;
}
/// d and -dmin of row g in word 2 g, of row g + 8 in word 2 g + 1.
template <typename Blocks>
__device__ uint32_t super_scale_and_minimum_word(const RawTile& tile, int w) {
  const int row = w / 2 + 8 * (w % 2);
  return tile.scale<Blocks>(row, 0) | (tile.minimum<Blocks>(row, 0) ^ 0x8000u) << 16;
}

}  // namespace quire::cuda
