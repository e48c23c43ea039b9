#pragma once

// Products of inputs and weights in bf16; included only by the sources of variants whose processors
// have them.

#include <cstring>

#include "kernels/cpu/simd/bf16_product_simd.h"

namespace quire::cpu {
namespace {

inline constexpr int kBf16TileRows = 16;

/// 16 rows from `first` on, their numbers x_offset further: where they lie, if they lie evenly, or
/// copied.
struct Bf16Rows {
  const uint16_t* at;
  int64_t stride;  ///< In bytes.
};

inline Bf16Rows find_bf16_rows(const LinearBf16& a, int64_t first, int64_t x_offset, int64_t inputs,
                               uint16_t (&copies)[kBf16TileRows][kChunkInputs]) {
  const uint16_t* const* const x = a.x + first;
  const int64_t count = a.num_rows - first < kBf16TileRows ? a.num_rows - first : kBf16TileRows;
  const int64_t step = count > 1 ? x[1] - x[0] : 0;
  bool is_even = count == kBf16TileRows;
  for (int64_t r = 1; r < count; ++r) is_even &= x[r] - x[r - 1] == step;
  if (is_even) return {x[0] + x_offset, step * 2};
  // What lies in the other rows is multiplied, but not stored.
  for (int64_t r = 0; r < count; ++r) {
    std::memcpy(copies[r], x[r] + x_offset, static_cast<size_t>(inputs) * 2);
  }
  return {copies[0], kChunkInputs * 2};
}

/// By matrix tiles, whatever the number of rows: their sums have an order of their own.
template <class V>
void linear_bf16_by_tiles(const LinearBf16& args) {
  const typename V::Tiles::template Shape<64> shape;
  uint16_t copies[kBf16TileRows][kChunkInputs] = {};
  LinearBf16 a = args;
  for (int64_t left = args.num_rows; left > 0; left -= a.num_rows) {
    a.num_rows = left < kTileBlockRows ? left : kTileBlockRows;
    const int64_t num_tiles = (a.num_rows + kBf16TileRows - 1) / kBf16TileRows;
    const auto multiply = [&](int64_t chunk, int64_t num_pairs, float* totals) {
      const int64_t x_offset = chunk * a.x_chunk_stride;
      const uint32_t* const weights = a.panel + chunk * kChunkInputs / 2 * kPanelColumns;
      ReadAhead ahead = ahead_of_pairs(weights, num_pairs, num_tiles);
      for (int64_t tile = 0; tile < num_tiles; ++tile) {
        const Bf16Rows rows =
            find_bf16_rows(a, tile * kBf16TileRows, x_offset, 2 * num_pairs, copies);
        ahead.step();
        V::Tiles::add_bf16(rows.at, rows.stride, weights, 2 * num_pairs / kBf16Inputs,
                           totals + tile * kBf16TileRows * kPanelColumns);
      }
    };
    multiply_bf16_block<V, kTileBlockRows>(a, num_tiles * kBf16TileRows, multiply);
    a.x += a.num_rows;
    a.out += a.num_rows;
  }
}

template <class V>
void linear_bf16(const LinearBf16& a) {
  if constexpr (requires { typename V::Tiles; }) {
    linear_bf16_by_tiles<V>(a);
  } else {
    linear_bf16_by_vectors<V>(a);
  }
}

}  // namespace
}  // namespace quire::cpu
