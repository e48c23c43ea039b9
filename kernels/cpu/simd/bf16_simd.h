#pragma once

// GEMM in bf16 (LinearBf16) by the processor's bf16 dot products or AMX tiles; included only by the
// sources of variants that have them. A chunk of a panel is loaded into the L1 cache with the first
// rows and reused from there by a block of rows.

#include <cstring>

#include "kernels/cpu/simd/panel_totals_simd.h"

namespace quire::cpu {
namespace {

/// Pairs of a chunk between two prefetching steps.
inline constexpr int kPairsOfStep = 4;

/// Two inputs of a row, in all lanes.
template <class V>
inline typename V::I input_pair(const uint16_t* x) {
  int two;
  __builtin_memcpy(&two, x, sizeof two);
  return V::set1_i(two);
}

/// The operands of one chunk: pairs of some rows and of a panel.
struct Bf16Operands {
  const uint16_t* const* x;  ///< By row, chunk 0.
  int64_t x_offset;          ///< To the chunk.
  int64_t num_pairs;
  const uint32_t* weights;
  ReadAhead& ahead;
};

/// kRows rows times kVecs vectors of outputs from `column`. totals: rows of kPanelColumns.
template <class V, int kRows, int kVecs>
inline void multiply_pairs(const Bf16Operands& a, int column, float* totals) {
  typename V::F sums[kRows][kVecs];
#pragma GCC unroll 32
  for (int i = 0; i < kRows * kVecs; ++i) {
    sums[i / kVecs][i % kVecs] =
        V::load(totals + i / kVecs * kPanelColumns + column + i % kVecs * V::kWidth);
  }
  for (int64_t p = 0; p < a.num_pairs; ++p) {
    const uint32_t* const weights = a.weights + p * kPanelColumns + column;
    typename V::I pairs[kVecs];
    if (p % kPairsOfStep == 0) a.ahead.step();
#pragma GCC unroll 4
    for (int v = 0; v < kVecs; ++v) {
      pairs[v] = V::load_i(reinterpret_cast<const int32_t*>(weights + v * V::kWidth));
    }
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const typename V::I inputs = input_pair<V>(a.x[r] + a.x_offset + 2 * p);
#pragma GCC unroll 4
      for (int v = 0; v < kVecs; ++v) sums[r][v] = V::dot_bf16(sums[r][v], pairs[v], inputs);
    }
  }
#pragma GCC unroll 32
  for (int i = 0; i < kRows * kVecs; ++i) {
    V::store(totals + i / kVecs * kPanelColumns + column + i % kVecs * V::kWidth,
             sums[i / kVecs][i % kVecs]);
  }
}

/// The first min(rows, kRows) rows.
template <class V, int kRows = V::kBf16Rows>
inline void multiply_pairs_of_rows(int64_t rows, const Bf16Operands& a, float* totals) {
  if constexpr (kRows > 1) {
    if (rows < kRows) return multiply_pairs_of_rows<V, kRows - 1>(rows, a, totals);
  }
  constexpr int kVecs = 4;
  for (int column = 0; column < kPanelColumns; column += kVecs * V::kWidth) {
    multiply_pairs<V, kRows, kVecs>(a, column, totals);
  }
}

/// Computes a block of rows. multiply(chunk, num_pairs, totals) adds a chunk to the totals.
template <class V, int kMostRows, class Multiply>
inline void multiply_bf16_block(const LinearBf16& a, int64_t padded_rows, Multiply multiply) {
  alignas(64) float totals[kMostRows * kPanelColumns];
  load_totals<V>(a, padded_rows, totals);
  for (int64_t k = a.inputs.begin; k < a.inputs.end; k += kChunkInputs) {
    const int64_t length = a.inputs.end - k < kChunkInputs ? a.inputs.end - k : kChunkInputs;
    multiply(k / kChunkInputs, (length + kBf16Inputs - 1) / kBf16Inputs * kBf16Inputs / 2, totals);
  }
  for (int64_t row = 0; row < a.num_rows; ++row) {
    store_totals<V>(a, row, totals + row * kPanelColumns);
  }
}

/// Prefetches what follows the pairs of a chunk, in num_steps steps.
inline ReadAhead ahead_of_pairs(const uint32_t* chunk, int64_t num_pairs, int64_t num_steps) {
  constexpr int64_t kLines = kChunkInputs / 2 * kPanelColumns / 16;
  return {reinterpret_cast<const char*>(chunk + num_pairs * kPanelColumns),
          static_cast<int>((kLines + num_steps - 1) / num_steps)};
}

/// Multiplies kRows rows by the whole panel, with the sums of multiply_pairs(). While a pair of
/// inputs is multiplied, the one that is LinearTuning::ahead_bytes ahead is prefetched. (With so
/// few rows ReadAhead would request lines in bursts, for which the multiplications would wait.)
template <class V, int kRows>
void gemv_bf16(const LinearBf16& a) {
  if constexpr (kRows > 1) {
    if (a.num_rows < kRows) return gemv_bf16<V, kRows - 1>(a);
  }
  constexpr int kVecs = kPanelColumns / V::kWidth;
  constexpr int kPairBytes = kPanelColumns * 4;
  alignas(64) float totals[kPanelColumns];
  typename V::F sums[kRows][kVecs];
#pragma GCC unroll 32
  for (int i = 0; i < kRows * kVecs; ++i) sums[i / kVecs][i % kVecs] = V::zero();
  const uint32_t* weights = a.panel;
  for (int64_t k = 0; k < a.inputs.end; k += kChunkInputs) {
    const int64_t x_offset = k / kChunkInputs * a.x_chunk_stride;
    const int64_t left = (a.inputs.end - k + kBf16Inputs - 1) / kBf16Inputs * kBf16Inputs;
    const int64_t num_pairs = (left < kChunkInputs ? left : kChunkInputs) / 2;
    for (int64_t p = 0; p < num_pairs; ++p, weights += kPanelColumns) {
      const char* const ahead = reinterpret_cast<const char*>(weights) + a.tuning.ahead_bytes;
#pragma GCC unroll 4
      for (int i = 0; i < kPairBytes; i += 64) prefetch_line(ahead + i, a.tuning.into_l2);
#pragma GCC unroll 2
      for (int r = 0; r < kRows; ++r) {
        const typename V::I inputs = input_pair<V>(a.x[r] + x_offset + 2 * p);
#pragma GCC unroll 8
        for (int v = 0; v < kVecs; ++v) {
          const auto* const pairs = reinterpret_cast<const int32_t*>(weights + v * V::kWidth);
          sums[r][v] = V::dot_bf16(sums[r][v], V::load_i(pairs), inputs);
        }
      }
    }
  }
  for (int row = 0; row < kRows; ++row) {
    for (int v = 0; v < kVecs; ++v) V::store(totals + v * V::kWidth, sums[row][v]);
    store_totals<V>(a, row, totals);
  }
}

template <class V>
void linear_bf16_by_vectors(const LinearBf16& args) {
  if (args.num_rows <= kMostGemvRows && args.num_rows <= args.tuning.gemv_rows) {
    return gemv_bf16<V, kMostGemvRows>(args);
  }
  LinearBf16 a = args;
  for (int64_t left = args.num_rows; left > 0; left -= a.num_rows) {
    a.num_rows = left < kBlockRows ? left : kBlockRows;
    const auto multiply = [&](int64_t chunk, int64_t num_pairs, float* totals) {
      const int64_t num_parts = (a.num_rows + V::kBf16Rows - 1) / V::kBf16Rows;
      const int64_t x_offset = chunk * a.x_chunk_stride;
      const uint32_t* const weights = a.panel + chunk * kChunkInputs / 2 * kPanelColumns;
      ReadAhead ahead = ahead_of_pairs(weights, num_pairs, num_parts * (num_pairs / kPairsOfStep));
      for (int64_t row = 0; row < a.num_rows; row += V::kBf16Rows) {
        multiply_pairs_of_rows<V>(a.num_rows - row,
                                  {a.x + row, x_offset, num_pairs, weights, ahead},
                                  totals + row * kPanelColumns);
      }
    };
    multiply_bf16_block<V, kBlockRows>(a, a.num_rows, multiply);
    a.x += a.num_rows;
    a.out += a.num_rows;
  }
}

inline constexpr int kBf16TileRows = 16;

/// 16 rows of bf16 inputs.
struct Bf16Rows {
  const uint16_t* at;
  int64_t stride;  ///< In bytes.
};

/// The rows from `first` on, from x_offset on: in place if they have a constant stride, otherwise
/// copied.
inline Bf16Rows find_bf16_rows(const LinearBf16& a, int64_t first, int64_t x_offset, int64_t inputs,
                               uint16_t (&copies)[kBf16TileRows][kChunkInputs]) {
  const uint16_t* const* const x = a.x + first;
  const int64_t count = a.num_rows - first < kBf16TileRows ? a.num_rows - first : kBf16TileRows;
  const int64_t step = count > 1 ? x[1] - x[0] : 0;
  bool is_even = count == kBf16TileRows;
  for (int64_t r = 1; r < count; ++r) is_even &= x[r] - x[r - 1] == step;
  if (is_even) return {x[0] + x_offset, step * 2};
  // The results of the other rows are not stored.
  for (int64_t r = 0; r < count; ++r) {
    std::memcpy(copies[r], x[r] + x_offset, static_cast<size_t>(inputs) * 2);
  }
  return {copies[0], kChunkInputs * 2};
}

/// By AMX tiles for any number of rows, because their sums have another order than those of
/// vectors.
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
