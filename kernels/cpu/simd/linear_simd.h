#pragma once

// GEMM with f32 activations, templated on the vector and the weights' type; included only by the
// variants' sources. The order of an output's sum is that of kChunkInputs (cpu_kernels.h), whatever
// the blocking.

#include "kernels/base/dequantize.h"
#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/panel_layout.h"
#include "kernels/cpu/simd/float_blocks_simd.h"
#include "kernels/cpu/simd/panel_totals_simd.h"

namespace quire::cpu {
namespace {

inline int64_t min_of(int64_t a, int64_t b) {
  return a < b ? a : b;
}

/// The weights' element type as a type, so that the loops are compiled once for each.
struct WeightF32 {
  using Element = float;
  template <class V>
  static typename V::F load(const float* p) {
    return V::load(p);
  }
};
struct WeightBF16 {
  using Element = uint16_t;
  template <class V>
  static typename V::F load(const uint16_t* p) {
    return V::load_bf16(p);
  }
};
struct WeightF16 {
  using Element = uint16_t;
  template <class V>
  static typename V::F load(const uint16_t* p) {
    return V::load_f16(p);
  }
};

/// Adds (or, for the first chunk, sets) sums to out, and the bias after the last chunk.
/// columns: the number of outputs from `out` on; lanes past them are not stored.
template <class V, int kVecs>
inline void add_chunk(float* out, const typename V::F (&sums)[kVecs], int columns, bool first,
                      const float* bias) {
#pragma GCC unroll 16
  for (int v = 0; v < kVecs; ++v) {
    const int count = columns - v * V::kWidth;
    if (count <= 0) return;
    typename V::F total = sums[v];
    if (!first) total = V::add(V::load_n(out + v * V::kWidth, count), total);
    if (bias != nullptr) total = V::add(total, V::load_n(bias + v * V::kWidth, count));
    V::store_n(out + v * V::kWidth, total, count);
  }
}

/// kRows rows times kVecs vectors of columns over one chunk. w: (length, w_stride) from the first
/// of these columns; x: rows x_stride apart.
template <class V, class W, int kRows, int kVecs>
inline void multiply_tile(const float* x, int64_t x_stride, const typename W::Element* w,
                          int w_stride, int64_t length, typename V::F (&sums)[kRows][kVecs]) {
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) sums[r][v] = V::zero();
  }
  for (int64_t k = 0; k < length; ++k) {
    typename V::F columns[kVecs];
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) {
      columns[v] = W::template load<V>(w + k * w_stride + v * V::kWidth);
    }
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const typename V::F value = V::set1(x[r * x_stride + k]);
#pragma GCC unroll 8
      for (int v = 0; v < kVecs; ++v) sums[r][v] = V::fma(value, columns[v], sums[r][v]);
    }
  }
}

// Few rows: straight from the packed weights, which are read from memory once. ----------------

/// One row times the whole panel. Separate from multiply_tile because it prefetches.
template <class V, class W>
inline void multiply_row(const float* x, const typename W::Element* w, int64_t length,
                         const LinearTuning& tuning,
                         typename V::F (&sums)[kPanelColumns / V::kWidth]) {
  constexpr int kVecs = kPanelColumns / V::kWidth;
  constexpr int kLine = 64 / static_cast<int>(sizeof(typename W::Element));
#pragma GCC unroll 16
  for (int v = 0; v < kVecs; ++v) sums[v] = V::zero();
  for (int64_t k = 0; k < length; ++k) {
    const typename W::Element* const row = w + k * kPanelColumns;
#pragma GCC unroll 4
    for (int i = 0; i < kPanelColumns; i += kLine) {
      prefetch_line(reinterpret_cast<const char*>(row + i) + tuning.ahead_bytes, tuning.into_l2);
    }
    const typename V::F value = V::set1(x[k]);
#pragma GCC unroll 16
    for (int v = 0; v < kVecs; ++v) {
      sums[v] = V::fma(value, W::template load<V>(row + v * V::kWidth), sums[v]);
    }
  }
}

/// One chunk of the inputs, k the first.
struct Chunk {
  int64_t k;
  int64_t length;
  const float* bias;  ///< Of the panel, if the chunk is the last; or null.
};

/// Adds (or, for the first chunk, sets) kRows rows times the chunk to out.
template <class V, class W, int kRows>
inline void add_rows(const LinearRows& a, const Chunk& chunk) {
  constexpr int kVecs = kRows == 1 ? kPanelColumns / V::kWidth : V::direct_vecs(kRows);
  constexpr int kTileColumns = kVecs * V::kWidth;
  const float* const x = a.x + chunk.k / kChunkInputs * a.x_chunk_stride;
  const auto* const w = static_cast<const typename W::Element*>(a.panel) + chunk.k * kPanelColumns;
  for (int column = 0; column < a.num_columns; column += kTileColumns) {
    typename V::F sums[kRows][kVecs];
    if constexpr (kRows == 1) {
      multiply_row<V, W>(x, w, chunk.length, a.tuning, sums[0]);
    } else {
      multiply_tile<V, W, kRows, kVecs>(x, a.x_stride, w + column, kPanelColumns, chunk.length,
                                        sums);
    }
    const float* const bias = chunk.bias != nullptr ? chunk.bias + column : nullptr;
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      add_chunk<V, kVecs>(a.out[r] + a.first_output + column, sums[r], a.num_columns - column,
                          chunk.k == 0, bias);
    }
  }
}

/// add_rows for a number of rows known at run time, from 1 to kRows.
template <class V, class W, int kRows>
inline void add_up_to(const LinearRows& a, const Chunk& chunk) {
  if (kRows == 1 || a.num_rows == kRows) return add_rows<V, W, kRows>(a, chunk);
  if constexpr (kRows > 1) add_up_to<V, W, kRows - 1>(a, chunk);
}

template <class V, class W>
void linear_rows_typed(const LinearRows& a) {
  const int64_t num_parts = (a.num_rows + V::kTogetherRows - 1) / V::kTogetherRows;
  for (int64_t k = 0; k < a.num_inputs; k += kChunkInputs) {
    const int64_t length = min_of(kChunkInputs, a.num_inputs - k);
    const Chunk chunk = {k, length, k + length == a.num_inputs ? a.bias : nullptr};
    // The chunk stays cached for all parts of the rows.
    for (int64_t i = 0; i < num_parts; ++i) {
      LinearRows part = a;
      const int64_t begin = a.num_rows * i / num_parts;
      part.x += begin * a.x_stride;
      part.out += begin;
      part.num_rows = a.num_rows * (i + 1) / num_parts - begin;
      add_up_to<V, W, V::kTogetherRows>(part, chunk);
    }
  }
}

/// add_rows() for weights in blocks of small floats, from 1 to kRows rows.
template <class V, class Floats, int kRows>
inline void add_rows_of_blocks(const LinearRows& a, const Chunk& chunk) {
  if constexpr (kRows > 1) {
    if (a.num_rows < kRows) return add_rows_of_blocks<V, Floats, kRows - 1>(a, chunk);
  }
  constexpr int kVecs = kRows == 1 ? 4 : 2;
  const float* const x = a.x + chunk.k / kChunkInputs * a.x_chunk_stride;
  const auto* const w =
      static_cast<const uint8_t*>(a.panel) + chunk.k / kChunkInputs * a.chunk_bytes;
  for (int column = 0; column < a.num_columns; column += kVecs * V::kWidth) {
    typename V::F sums[kRows][kVecs];
    multiply_blocks<V, Floats, kRows, kVecs>(x, a.x_stride, w, column, chunk.length, sums);
    const float* const bias = chunk.bias != nullptr ? chunk.bias + column : nullptr;
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      add_chunk<V, kVecs>(a.out[r] + a.first_output + column, sums[r], a.num_columns - column,
                          chunk.k == 0, bias);
    }
  }
}

template <class V, class Floats>
void linear_rows_of_blocks(const LinearRows& a) {
  for (int64_t k = 0; k < a.num_inputs; k += kChunkInputs) {
    const int64_t length = min_of(kChunkInputs, a.num_inputs - k);
    const Chunk chunk = {k, length, k + length == a.num_inputs ? a.bias : nullptr};
    add_rows_of_blocks<V, Floats, kDirectBlockRows>(a, chunk);
  }
}

/// Weights in f32, f16 or bf16, or for up to kDirectBlockRows rows in blocks of small floats.
template <class V>
void linear_rows(const LinearRows& a) {
  if (a.dtype == DType::kF8_128) return linear_rows_of_blocks<V, FloatsOfF8>(a);
  if (a.dtype == DType::kNF4_64) return linear_rows_of_blocks<V, FloatsOfNf4>(a);
  if (a.dtype == DType::kBF16) return linear_rows_typed<V, WeightBF16>(a);
  if (a.dtype == DType::kF16) return linear_rows_typed<V, WeightF16>(a);
  linear_rows_typed<V, WeightF32>(a);
}

// Many rows: a chunk of a panel's columns is widened into the first-level cache and reused for
// every row (Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication, 2008). ---

/// Widens kTileVecs vectors of columns, the first of them `column`, of one chunk of a panel.
/// tile: (length, kTileVecs * width).
template <class V, class W>
inline void widen_tile(float* tile, const void* chunk, int column, int64_t length) {
  constexpr int kVecs = V::kTileVecs;
  const auto* const w = static_cast<const typename W::Element*>(chunk) + column;
  for (int64_t k = 0; k < length; ++k) {
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) {
      V::store(tile + (k * kVecs + v) * V::kWidth,
               W::template load<V>(w + k * kPanelColumns + v * V::kWidth));
    }
  }
}

/// As widen_tile for quantised weights, column by column. Used only if BackendOptions ask for f32
/// activations.
template <class V>
inline void dequantize_tile(DType dtype, float* tile, const void* chunk, int column,
                            int64_t length) {
  constexpr int kColumns = V::kTileVecs * V::kWidth;
  alignas(64) char row[kChunkInputs * sizeof(float)];
  float weights[kChunkInputs];
  for (int j = 0; j < kColumns; ++j) {
    unpack_column(row, {dtype}, chunk, column + j, length);
    dequantize_row(dtype, row, weights, length);
    for (int64_t k = 0; k < length; ++k) tile[k * kColumns + j] = weights[k];
  }
}

template <class V>
inline void widen_tile(DType dtype, float* tile, const void* chunk, int column, int64_t length) {
  switch (dtype) {
    case DType::kBF16:
      return widen_tile<V, WeightBF16>(tile, chunk, column, length);
    case DType::kF16:
      return widen_tile<V, WeightF16>(tile, chunk, column, length);
    case DType::kF32:
      return widen_tile<V, WeightF32>(tile, chunk, column, length);
    case DType::kF8_128:
      return widen_blocks<V, FloatsOfF8>(tile, chunk, column, length);
    case DType::kNF4_64:
      return widen_blocks<V, FloatsOfNf4>(tile, chunk, column, length);
    default:
      return dequantize_tile<V>(dtype, tile, chunk, column, length);
  }
}

/// The operands of one tile of the GEMM.
struct Tile {
  const float* x = nullptr;  ///< Rows kChunkInputs apart.
  const float* weights;
  int64_t length;
  float* const* out = nullptr;  ///< By row.
  int64_t first_output;
  int columns;
  bool first;
  const float* bias;
};

template <class V, int kRows>
void multiply_rows(const Tile& t) {
  constexpr int kVecs = V::kTileVecs;
  typename V::F sums[kRows][kVecs];
  multiply_tile<V, WeightF32, kRows, kVecs>(t.x, kChunkInputs, t.weights, kVecs * V::kWidth,
                                            t.length, sums);
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    add_chunk<V, kVecs>(t.out[r] + t.first_output, sums[r], t.columns, t.first, t.bias);
  }
}

/// multiply_rows for a number of rows known at run time, from 1 to kTileRows.
template <class V, int kRows = V::kTileRows>
inline void multiply_rows(const Tile& t, int64_t rows) {
  if constexpr (kRows == 1) {
    multiply_rows<V, 1>(t);
  } else {
    if (rows == kRows) return multiply_rows<V, kRows>(t);
    multiply_rows<V, kRows - 1>(t, rows);
  }
}

template <class V>
void linear_block(const LinearBlock& b) {
  constexpr int kTileColumns = V::kTileVecs * V::kWidth;
  alignas(64) float weights[kChunkInputs * kTileColumns];
  const auto* const all_panels = static_cast<const char*>(b.panels);
  const int64_t num_blocks = (b.num_rows + V::kTileRows - 1) / V::kTileRows;
  const int64_t end_column = min_of(b.num_outputs, (b.first_panel + b.num_panels) * kPanelColumns);
  for (int64_t k = 0; k < b.num_inputs; k += kChunkInputs) {
    const int64_t length = min_of(kChunkInputs, b.num_inputs - k);
    const bool last = k + length == b.num_inputs;
    const float* const x = b.x + k / kChunkInputs * b.x_chunk_stride;
    const char* const chunks = all_panels + k / kChunkInputs * b.chunk_bytes;
    for (int64_t n = b.first_panel * kPanelColumns; n < end_column; n += kTileColumns) {
      widen_tile<V>(b.dtype, weights, chunks + n / kPanelColumns * b.panel_bytes,
                    static_cast<int>(n % kPanelColumns), length);
      Tile tile = {.weights = weights,
                   .length = length,
                   .first_output = b.first_output + n,
                   .columns = static_cast<int>(min_of(kTileColumns, end_column - n)),
                   .first = k == 0,
                   .bias = last && b.bias != nullptr ? b.bias + n : nullptr};
      for (int64_t i = 0; i < num_blocks; ++i) {
        const int64_t begin = b.num_rows * i / num_blocks;
        const int64_t end = b.num_rows * (i + 1) / num_blocks;
        tile.x = x + begin * kChunkInputs;
        tile.out = b.out + begin;
        multiply_rows<V>(tile, end - begin);
      }
    }
  }
}

}  // namespace
}  // namespace quire::cpu
