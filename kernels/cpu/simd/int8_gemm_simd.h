#pragma once

// GEMM with quantised activations and weights (LinearInt8); included only by int8_simd.h. A chunk
// of a panel is used for a block of rows: its scales are unpacked into the L1 cache, and for many
// rows its codes as well.

#include <cstring>

#include "kernels/cpu/simd/int8_unpack_simd.h"
#include "kernels/cpu/simd/panel_totals_simd.h"

namespace quire::cpu {
namespace {

/// The codes of an unpacked chunk.
template <class V, class Rules>
struct StoredCodes {
  const UnpackedChunk& chunk;

  /// Quad i of group g, of a vector of outputs.
  typename V::B at(int64_t g, int i, int column) const {
    return V::load_b(chunk.codes[g * (Rules::kGroup / 4) + i] + 4 * column);
  }
};

/// The codes of a panel's chunk, each unpacked when it is multiplied.
template <class V, class Format>
struct PanelCodes {
  const uint8_t* chunk;

  typename V::B at(int64_t g, int i, int column) const {
    constexpr int kGroups = Format::kElements / Format::kGroup;
    const uint8_t* const block = chunk + g / kGroups * (Format::kBytes * kPanelColumns);
    const int r = (static_cast<int>(g) % kGroups * Format::kGroup + 4 * i) / 16;
    return unpack_quads<V, Format, Int8Codes<V, Format>::kBias>(
        block + 4 * column, r / Format::kSection, r % Format::kSection, 4 * i % 16);
  }
};

/// One chunk of some rows and of a panel.
struct Int8Operands {
  const Int8Chunk* const* x;     ///< By row, chunk 0.
  int64_t x_offset;              ///< To the chunk.
  const UnpackedChunk& weights;  ///< Its scales.
  int num_groups;
  int bias;  ///< Of the weights' codes.
  ReadAhead& ahead;
};

/// Copies of a chunk of some rows, whose codes are transposed.
template <class V>
struct TransposedInputs {
  Int8Chunk chunks[V::kInt8Rows];
  const Int8Chunk* rows[V::kInt8Rows];

  void set(Int8Operands& a, int64_t num_rows) {
    for (int64_t row = 0; row < num_rows; ++row) {
      const Int8Chunk& x = a.x[row][a.x_offset];
      std::memcpy(chunks[row].scales, x.scales, sizeof x.scales);
      std::memcpy(chunks[row].sums, x.sums, sizeof x.sums);
      V::transpose_fours(chunks[row].codes, x.codes);
      rows[row] = chunks + row;
    }
    a.x = rows;
    a.x_offset = 0;
  }
};

/// The sums of each group's inputs of one chunk for kRows rows, shared by all outputs.
template <int kRows>
struct GroupSums {
  alignas(64) int32_t zeros[kRows][kMostGroups];  ///< Minus the bias times the sum of the codes.
  alignas(64) float scaled[kRows][kMostGroups];   ///< The scale times the sum of the codes.
};

template <class Rules, int kRows>
inline void sum_groups(const Int8Operands& a, GroupSums<kRows>& to) {
  for (int r = 0; r < kRows; ++r) {
    const Int8Chunk& x = a.x[r][a.x_offset];
    for (int g = 0; g < a.num_groups; ++g) {
      const int sum = sum_of_group<Rules>(x, g);
      to.zeros[r][g] = -a.bias * sum;
      if constexpr (Rules::kHasOffset) {
        to.scaled[r][g] = x.scales[g * Rules::kGroup / 32] * static_cast<float>(sum);
      }
    }
  }
}

/// dots[r][v] = the codes' products over group g, summed.
template <class V, class Rules, int kRows, int kVecs, class Codes>
inline void dot_group(const Int8Operands& a, const GroupSums<kRows>& sums, const Codes& source,
                      int64_t g, int column, typename V::I (&dots)[kRows][kVecs]) {
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    const typename V::I zero = V::set1_i(sums.zeros[r][g]);
#pragma GCC unroll 4
    for (int v = 0; v < kVecs; ++v) dots[r][v] = zero;
  }
  constexpr int kRun = Rules::kRunQuads;
#pragma GCC unroll 8
  for (int run = 0; run < Rules::kGroup / 4; run += kRun) {
    typename V::I pairs[kRows][kVecs];
#pragma GCC unroll 8
    for (int i = 0; i < kRun; ++i) {
      const int64_t quad = g * (Rules::kGroup / 4) + run + i;
      typename V::B codes[kVecs];
#pragma GCC unroll 4
      for (int v = 0; v < kVecs; ++v) {
        codes[v] = source.at(g, run + i, column + v * V::kWidth);
      }
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
        const typename V::I inputs = quad_of_inputs<V>(a.x[r][a.x_offset].codes + 4 * quad);
#pragma GCC unroll 4
        for (int v = 0; v < kVecs; ++v) {
          dot_quad<V, Rules>(i == 0, codes[v], inputs, pairs[r][v], dots[r][v]);
        }
      }
    }
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) end_run<V, Rules>(pairs[r], dots[r]);
  }
}

/// Adds group g's part to the sums.
template <class V, class Rules, int kRows, int kVecs>
inline void add_group(const Int8Operands& a, const GroupSums<kRows>& group_sums, int64_t g,
                      int column, const typename V::I (&dots)[kRows][kVecs],
                      typename V::F (&sums)[kRows][kVecs]) {
  const float* const steps = a.weights.steps[g] + column;
  const float* const offsets = a.weights.offsets[g] + column;
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    const typename V::F scale = V::set1(a.x[r][a.x_offset].scales[g * Rules::kGroup / 32]);
#pragma GCC unroll 4
    for (int v = 0; v < kVecs; ++v) {
      const typename V::F step = V::mul(V::load(steps + v * V::kWidth), scale);
      sums[r][v] = V::fma(V::to_float(dots[r][v]), step, sums[r][v]);
      if constexpr (Rules::kHasOffset) {
        const typename V::F sum = V::set1(group_sums.scaled[r][g]);
        sums[r][v] = V::fma(V::load(offsets + v * V::kWidth), sum, sums[r][v]);
      }
    }
  }
}

/// kRows rows times kVecs vectors of outputs from `column`. totals: rows of kPanelColumns.
template <class V, class Rules, int kRows, int kVecs, class Codes>
inline void multiply_int8(const Int8Operands& a, const GroupSums<kRows>& group_sums,
                          const Codes& codes, int column, float* totals) {
  typename V::F sums[kRows][kVecs];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kVecs; ++v) {
      sums[r][v] = V::load(totals + r * kPanelColumns + column + v * V::kWidth);
    }
  }
  // Unrolled, the loop would not fit the instruction cache.
#pragma GCC unroll 1
  for (int64_t n = 0; n < a.num_groups; ++n) {
    const int64_t g = Rules::group(n);
    typename V::I dots[kRows][kVecs];
    a.ahead.step();
    dot_group<V, Rules, kRows, kVecs>(a, group_sums, codes, g, column, dots);
    add_group<V, Rules, kRows, kVecs>(a, group_sums, g, column, dots, sums);
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kVecs; ++v) {
      V::store(totals + r * kPanelColumns + column + v * V::kWidth, sums[r][v]);
    }
  }
}

/// Vectors of outputs multiplied at once; more for few rows, to hide the latency of their sums.
template <class V>
constexpr int int8_vecs(int rows) {
  return rows <= V::kFewRows ? 4 : V::kInt8Vecs;
}

/// The first min(rows, kRows) rows.
template <class V, class Rules, class Codes, int kRows = V::kInt8Rows>
inline void multiply_int8_rows(int64_t rows, const Int8Operands& a, const Codes& codes,
                               float* totals) {
  if constexpr (kRows > 1) {
    if (rows < kRows) {
      return multiply_int8_rows<V, Rules, Codes, kRows - 1>(rows, a, codes, totals);
    }
  }
  GroupSums<kRows> sums;
  sum_groups<Rules>(a, sums);
  constexpr int kVecs = int8_vecs<V>(kRows);
  for (int column = 0; column < kPanelColumns; column += kVecs * V::kWidth) {
    multiply_int8<V, Rules, kRows, kVecs>(a, sums, codes, column, totals);
  }
}

/// multiply_int8_rows with unpacked codes, compiled once for all formats with the same Rules.
template <class V, class Rules>
[[gnu::noinline]] void multiply_stored_rows(int64_t rows, const Int8Operands& a,
                                            const UnpackedChunk& weights, float* totals) {
  multiply_int8_rows<V, Rules>(rows, a, StoredCodes<V, Rules>{weights}, totals);
}

/// Parts of at most kInt8Rows rows, as equal as possible: small parts reuse weights least.
template <class V>
struct RowParts {
  explicit RowParts(int64_t rows)
      : count((rows + V::kInt8Rows - 1) / V::kInt8Rows),
        least(rows / count),
        num_longer(rows % count) {}

  int64_t rows_of(int64_t part) const { return least + (part < num_longer ? 1 : 0); }

  int64_t count;
  int64_t least;
  int64_t num_longer;  ///< Parts with one row more.
};

/// Up to kBlockRows rows. kIsStored: whether the codes are unpacked before they are multiplied.
template <class V, class Format, bool kIsStored>
void multiply_int8_block(const LinearInt8& a) {
  using Codes = Int8Codes<V, Format>;
  using Rules = RulesOf<V, Format>;
  const RowParts<V> parts(a.num_rows);
  UnpackedChunk weights;
  [[maybe_unused]] TransposedInputs<V> transposed;
  alignas(64) float totals[kBlockRows * kPanelColumns];
  load_totals<V>(a, a.num_rows, totals);
  for (int64_t k = a.inputs.begin; k < a.inputs.end; k += kChunkInputs) {
    const int64_t chunk = k / kChunkInputs;
    const int64_t length = a.inputs.end - k < kChunkInputs ? a.inputs.end - k : kChunkInputs;
    const auto* const panel = static_cast<const uint8_t*>(a.panel) + chunk * a.chunk_bytes;
    unpack_chunk<V, Format, Codes::kBias, kIsStored>(panel, length, weights);
    const int num_groups = static_cast<int>(length) / Format::kGroup;
    const int64_t num_steps =
        parts.count * num_groups * (kPanelColumns / (V::kInt8Vecs * V::kWidth));
    const int64_t bytes = length / Format::kElements * Format::kBytes * kPanelColumns;
    ReadAhead ahead = {reinterpret_cast<const char*>(panel + bytes),
                       static_cast<int>((a.chunk_bytes / 64 + num_steps - 1) / num_steps)};
    int64_t row = 0;
    for (int64_t part = 0; part < parts.count; ++part) {
      const int64_t rows = parts.rows_of(part);
      Int8Operands operands = {
          a.x + row, chunk * a.x_chunk_stride, weights, num_groups, Codes::kBias, ahead};
      if constexpr (transposes_inputs<Format>()) transposed.set(operands, rows);
      float* const to = totals + row * kPanelColumns;
      if constexpr (kIsStored) {
        multiply_stored_rows<V, Rules>(rows, operands, weights, to);
      } else {
        multiply_int8_rows<V, Rules>(rows, operands, PanelCodes<V, Format>{panel}, to);
      }
      row += rows;
    }
  }
  for (int64_t row = 0; row < a.num_rows; ++row) {
    store_totals<V>(a, row, totals + row * kPanelColumns);
  }
}

template <class V, class Format>
inline void multiply_int8_rows_of(const LinearInt8& a) {
  if constexpr (Format::kPanelParts > 0) {
    if (a.num_rows <= V::kInt8Rows * Format::kPanelParts) {
      return multiply_int8_block<V, Format, false>(a);
    }
  }
  multiply_int8_block<V, Format, true>(a);
}

template <class V, class Format>
void gemm_int8(const LinearInt8& args) {
  const int64_t num_blocks = (args.num_rows + kBlockRows - 1) / kBlockRows;
  for (int64_t block = 0; block < num_blocks; ++block) {
    const int64_t begin = args.num_rows * block / num_blocks;
    LinearInt8 a = args;
    a.x += begin;
    a.out += begin;
    a.num_rows = args.num_rows * (block + 1) / num_blocks - begin;
    multiply_int8_rows_of<V, Format>(a);
  }
}

}  // namespace
}  // namespace quire::cpu
