#pragma once

// GEMM with quantised activations and weights (LinearInt8) by AMX tiles, 16 rows by 16 outputs by a
// group of inputs at a time; included only by int8_simd.h. A vector with tiles defines V::Tiles.
// The integers are the same as those of int8_gemm_simd.h and are scaled in the same order.

#include "kernels/cpu/simd/int8_gemm_simd.h"

namespace quire::cpu {
namespace {

inline constexpr int kTileRows = 16;
inline constexpr int kTileOutputs = 16;
/// For fewer rows most of a tile would be unused.
inline constexpr int kLeastTileRows = 8;
/// Groups whose tile products overlap.
inline constexpr int kTilesAhead = 4;

/// One chunk of kTileRows rows, `stride` bytes apart.
struct TileInputs {
  const Int8Chunk* rows;
  int64_t stride;
  alignas(64) float sums[kTileRows][kMostGroups];  ///< Of each group's inputs.

  const Int8Chunk& row(int r) const {
    return *reinterpret_cast<const Int8Chunk*>(reinterpret_cast<const char*>(rows) + r * stride);
  }
};

/// Points at the rows in place if there are kTileRows at a constant stride, otherwise at copies.
inline void find_rows(const LinearInt8& a, int64_t first, int64_t chunk,
                      Int8Chunk (&copies)[kTileRows], TileInputs& to) {
  const Int8Chunk* const* const x = a.x + first;
  const int64_t count = a.num_rows - first < kTileRows ? a.num_rows - first : kTileRows;
  const int64_t step = count > 1 ? x[1] - x[0] : 0;
  bool is_even = count == kTileRows;
  for (int64_t r = 1; r < count; ++r) is_even &= x[r] - x[r - 1] == step;
  const int64_t offset = chunk * a.x_chunk_stride;
  to.rows = is_even ? x[0] + offset : copies;
  to.stride = (is_even ? step : 1) * static_cast<int64_t>(sizeof(Int8Chunk));
  if (is_even) return;
  for (int64_t r = 0; r < count; ++r) copies[r] = x[r][offset];
  // The results of the other rows are not stored.
}

template <class Rules>
inline void sum_groups(TileInputs& inputs) {
  for (int r = 0; r < kTileRows; ++r) {
    const Int8Chunk& row = inputs.row(r);
    for (int g = 0; g < kChunkInputs / Rules::kGroup; ++g) {
      const float scale = row.scales[g * Rules::kGroup / 32];
      inputs.sums[r][g] = scale * static_cast<float>(sum_of_group<Rules>(row, g));
    }
  }
}

/// Adds group g's part, dots (kTileRows, kTileOutputs), to the sums.
template <class V, class Rules>
inline void add_tile(const TileInputs& inputs, const UnpackedChunk& weights, int g, int column,
                     const int32_t* dots,
                     typename V::F (&sums)[kTileRows][kTileOutputs / V::kWidth]) {
#pragma GCC unroll 16
  for (int v = 0; v < kTileOutputs / V::kWidth; ++v) {
    const typename V::F step = V::load(weights.steps[g] + column + v * V::kWidth);
    const auto* row = reinterpret_cast<const char*>(inputs.rows);
#pragma GCC unroll 16
    for (int r = 0; r < kTileRows; ++r, row += inputs.stride) {
      const auto* const scales = reinterpret_cast<const Int8Chunk*>(row)->scales;
      const typename V::F scale = V::set1(scales[g * Rules::kGroup / 32]);
      const typename V::I dot = V::load_i(dots + r * kTileOutputs + v * V::kWidth);
      sums[r][v] = V::fma(V::to_float(dot), V::mul(step, scale), sums[r][v]);
      if constexpr (Rules::kHasOffset) {
        const typename V::F offset = V::load(weights.offsets[g] + column + v * V::kWidth);
        sums[r][v] = V::fma(offset, V::set1(inputs.sums[r][g]), sums[r][v]);
      }
    }
  }
}

/// dots[i] = the dot products of the codes over the (first + i)-th group, for the tile's rows and
/// the outputs from `column`.
template <class V, class Rules, int kCount>
inline void dot_tiles(const TileInputs& inputs, const UnpackedChunk& weights, int first, int column,
                      int32_t (&dots)[kTilesAhead][kTileRows * kTileOutputs]) {
  constexpr int kQuadsOfGroup = Rules::kGroup / 4;
  const auto dot = [&]<int kPlace>() {
    const int64_t g = Rules::group(first + kPlace);
    V::Tiles::template dot<kPlace>(inputs.rows->codes + g * Rules::kGroup, inputs.stride,
                                   weights.codes[g * kQuadsOfGroup] + 4 * column, 4 * kPanelColumns,
                                   dots[kPlace]);
  };
  dot.template operator()<0>();
  if constexpr (kCount > 1) dot.template operator()<1>();
  if constexpr (kCount > 2) dot.template operator()<2>();
  if constexpr (kCount > 3) dot.template operator()<3>();
  static_assert(kTilesAhead == 4);
}

/// One chunk. totals: (kTileRows, kPanelColumns).
template <class V, class Rules>
[[gnu::noinline]] void multiply_tile_rows(const TileInputs& inputs, const UnpackedChunk& weights,
                                          int num_groups, float* totals) {
  constexpr int kVecs = kTileOutputs / V::kWidth;
  alignas(64) int32_t dots[kTilesAhead][kTileRows * kTileOutputs];
  for (int column = 0; column < kPanelColumns; column += kTileOutputs) {
    typename V::F sums[kTileRows][kVecs];
    for (int i = 0; i < kTileRows * kVecs; ++i) {
      sums[i / kVecs][i % kVecs] =
          V::load(totals + i / kVecs * kPanelColumns + column + i % kVecs * V::kWidth);
    }
    int n = 0;
    for (; n + kTilesAhead <= num_groups; n += kTilesAhead) {
      dot_tiles<V, Rules, kTilesAhead>(inputs, weights, n, column, dots);
#pragma GCC unroll 4
      for (int i = 0; i < kTilesAhead; ++i) {
        add_tile<V, Rules>(inputs, weights, static_cast<int>(Rules::group(n + i)), column, dots[i],
                           sums);
      }
    }
    for (; n < num_groups; ++n) {
      dot_tiles<V, Rules, 1>(inputs, weights, n, column, dots);
      add_tile<V, Rules>(inputs, weights, static_cast<int>(Rules::group(n)), column, dots[0], sums);
    }
    for (int i = 0; i < kTileRows * kVecs; ++i) {
      V::store(totals + i / kVecs * kPanelColumns + column + i % kVecs * V::kWidth,
               sums[i / kVecs][i % kVecs]);
    }
  }
}

/// Up to kTileBlockRows rows.
template <class V, class Format>
void multiply_tile_block(const LinearInt8& a) {
  using Rules = RulesFor<false, 1, Format>;
  UnpackedChunk weights;
  Int8Chunk copies[kTileRows] = {};
  TileInputs inputs;
  alignas(64) float totals[kTileBlockRows * kPanelColumns];
  const int64_t num_tiles = (a.num_rows + kTileRows - 1) / kTileRows;
  load_totals<V>(a, num_tiles * kTileRows, totals);
  for (int64_t k = a.inputs.begin; k < a.inputs.end; k += kChunkInputs) {
    const int64_t chunk = k / kChunkInputs;
    const int64_t length = a.inputs.end - k < kChunkInputs ? a.inputs.end - k : kChunkInputs;
    unpack_chunk<V, Format, 0>(static_cast<const char*>(a.panel) + chunk * a.chunk_bytes, length,
                               weights);
    ReadAhead ahead = {static_cast<const char*>(a.panel) + (chunk + 1) * a.chunk_bytes,
                       static_cast<int>((a.chunk_bytes / 64 + num_tiles - 1) / num_tiles)};
    for (int64_t tile = 0; tile < num_tiles; ++tile) {
      ahead.step();
      find_rows(a, tile * kTileRows, chunk, copies, inputs);
      if constexpr (Rules::kHasOffset) sum_groups<Rules>(inputs);
      multiply_tile_rows<V, Rules>(inputs, weights, static_cast<int>(length) / Format::kGroup,
                                   totals + tile * kTileRows * kPanelColumns);
    }
  }
  for (int64_t row = 0; row < a.num_rows; ++row) {
    store_totals<V>(a, row, totals + row * kPanelColumns);
  }
}

template <class V, class Format>
void tile_gemm_int8(const LinearInt8& args) {
  const typename V::Tiles::template Shape<Format::kGroup> shape;
  LinearInt8 a = args;
  for (int64_t left = args.num_rows; left > 0; left -= a.num_rows) {
    a.num_rows = left < kTileBlockRows ? left : kTileBlockRows;
    multiply_tile_block<V, Format>(a);
    a.x += a.num_rows;
    a.out += a.num_rows;
  }
}

}  // namespace
}  // namespace quire::cpu
