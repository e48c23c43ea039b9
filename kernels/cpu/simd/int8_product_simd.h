#pragma once

// Products of 8-bit inputs and quantised weights (LinearInt8); included only by int8_simd.h. A
// chunk of a panel is unpacked into the first-level cache and reused for a block of rows.

#include <cstring>

#include "kernels/cpu/simd/int8_unpack_simd.h"

namespace quire::cpu {
namespace {

/// Rows that share an unpacked chunk; their totals fill a third of a first-level cache.
inline constexpr int kInt8BlockRows = 48;

/// How unpacked codes are multiplied; what differs between formats then.
template <bool kIsSigned, bool kWithOffset, int kGroupInputs>
struct Int8Rules {
  static constexpr bool kSigned = kIsSigned;
  static constexpr bool kHasOffset = kWithOffset;
  static constexpr int kGroup = kGroupInputs;
};

/// One chunk of some rows, and of a panel.
struct Int8Operands {
  const Int8Chunk* const* x;  ///< By row, chunk 0.
  int64_t chunk;
  const UnpackedChunk& weights;
  int num_groups;
  int bias;  ///< Of the weights' codes.
};

template <class Rules>
inline int sum_of_group(const Int8Chunk& x, int g) {
  return Rules::kGroup == 16 ? x.sums[g] : x.sums[2 * g] + x.sums[2 * g + 1];
}

/// dots[r][v] = the codes' products over group g, summed.
template <class V, class Rules, int kRows, int kVecs>
inline void dot_group(const Int8Operands& a, int g, int column,
                      typename V::I (&dots)[kRows][kVecs]) {
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    const typename V::I zero = V::set1_i(-a.bias * sum_of_group<Rules>(a.x[r][a.chunk], g));
#pragma GCC unroll 4
    for (int v = 0; v < kVecs; ++v) dots[r][v] = zero;
  }
#pragma GCC unroll 8
  for (int q = 0; q < Rules::kGroup / 4; ++q) {
    const int quad = g * (Rules::kGroup / 4) + q;
    typename V::B codes[kVecs];
#pragma GCC unroll 4
    for (int v = 0; v < kVecs; ++v) {
      codes[v] = V::load_b(a.weights.codes[quad] + 4 * (column + v * V::kWidth));
    }
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      int four;
      __builtin_memcpy(&four, a.x[r][a.chunk].codes + 4 * quad, sizeof four);
      const typename V::I inputs = V::set1_i(four);
#pragma GCC unroll 4
      for (int v = 0; v < kVecs; ++v) {
        dots[r][v] = Rules::kSigned ? V::dot_signed(dots[r][v], codes[v], inputs)
                                    : V::dot(dots[r][v], codes[v], inputs);
      }
    }
  }
}

/// Adds group g's part to the sums.
template <class V, class Rules, int kRows, int kVecs>
inline void add_group(const Int8Operands& a, int g, int column,
                      const typename V::I (&dots)[kRows][kVecs],
                      typename V::F (&sums)[kRows][kVecs]) {
  const float* const steps = a.weights.steps[g] + column;
  const float* const offsets = a.weights.offsets[g] + column;
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    const Int8Chunk& inputs = a.x[r][a.chunk];
    const float scale = inputs.scales[g * Rules::kGroup / 32];
#pragma GCC unroll 4
    for (int v = 0; v < kVecs; ++v) {
      const typename V::F step = V::mul(V::load(steps + v * V::kWidth), V::set1(scale));
      sums[r][v] = V::fma(V::to_float(dots[r][v]), step, sums[r][v]);
      if constexpr (Rules::kHasOffset) {
        const float sum = scale * static_cast<float>(sum_of_group<Rules>(inputs, g));
        sums[r][v] = V::fma(V::load(offsets + v * V::kWidth), V::set1(sum), sums[r][v]);
      }
    }
  }
}

/// kRows rows times kVecs vectors of outputs from `column`. totals: rows of kPanelColumns.
template <class V, class Rules, int kRows, int kVecs>
inline void multiply_int8(const Int8Operands& a, int column, float* totals) {
  typename V::F sums[kRows][kVecs];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kVecs; ++v) {
      sums[r][v] = V::load(totals + r * kPanelColumns + column + v * V::kWidth);
    }
  }
  for (int g = 0; g < a.num_groups; ++g) {
    typename V::I dots[kRows][kVecs];
    dot_group<V, Rules, kRows, kVecs>(a, g, column, dots);
    add_group<V, Rules, kRows, kVecs>(a, g, column, dots, sums);
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kVecs; ++v) {
      V::store(totals + r * kPanelColumns + column + v * V::kWidth, sums[r][v]);
    }
  }
}

/// As many of the rows as are left, at most kRows.
template <class V, class Rules, int kRows = V::kInt8Rows>
inline void multiply_int8_rows(int64_t rows, const Int8Operands& a, float* totals) {
  if constexpr (kRows > 1) {
    if (rows < kRows) return multiply_int8_rows<V, Rules, kRows - 1>(rows, a, totals);
  }
  for (int column = 0; column < kPanelColumns; column += V::kInt8Vecs * V::kWidth) {
    multiply_int8<V, Rules, kRows, V::kInt8Vecs>(a, column, totals);
  }
}

/// The totals of a row to where they belong.
template <class V>
inline void store_totals(const float* totals, float* out, int num_columns, const float* bias) {
  for (int column = 0; column < num_columns; column += 4 * V::kWidth) {
    typename V::F sums[4];
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) sums[v] = V::load(totals + column + v * V::kWidth);
    V::from_quad_lanes(sums);
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      const int at = column + v * V::kWidth;
      if (at >= num_columns) return;
      const int count = num_columns - at;
      if (bias != nullptr) sums[v] = V::add(sums[v], V::load_n(bias + at, count));
      V::store_n(out + at, sums[v], count);
    }
  }
}

/// Up to kInt8BlockRows rows.
template <class V, class Format>
void multiply_int8_block(const LinearInt8& a) {
  using Codes = Int8Codes<V, Format>;
  using Rules = Int8Rules<Codes::kSigned, Format::kHasOffset, Format::kGroup>;
  UnpackedChunk weights;
  alignas(64) float totals[kInt8BlockRows * kPanelColumns];
  std::memset(totals, 0, static_cast<size_t>(a.num_rows) * kPanelColumns * sizeof(float));
  for (int64_t k = 0; k < a.num_inputs; k += kChunkInputs) {
    const int64_t chunk = k / kChunkInputs;
    const int64_t length = a.num_inputs - k < kChunkInputs ? a.num_inputs - k : kChunkInputs;
    unpack_chunk<V, Format, Codes::kBias>(static_cast<const char*>(a.panel) + chunk * a.chunk_bytes,
                                          length, weights);
    const int num_groups = static_cast<int>(length) / Format::kGroup;
    for (int64_t row = 0; row < a.num_rows; row += V::kInt8Rows) {
      multiply_int8_rows<V, Rules>(a.num_rows - row,
                                   {a.x + row, chunk, weights, num_groups, Codes::kBias},
                                   totals + row * kPanelColumns);
    }
  }
  for (int64_t row = 0; row < a.num_rows; ++row) {
    store_totals<V>(totals + row * kPanelColumns, a.out[row], a.num_columns, a.bias);
  }
}

template <class V, class Format>
void linear_int8_by_vectors(const LinearInt8& args) {
  LinearInt8 a = args;
  for (int64_t left = args.num_rows; left > 0; left -= a.num_rows) {
    a.num_rows = left < kInt8BlockRows ? left : kInt8BlockRows;
    multiply_int8_block<V, Format>(a);
    a.x += a.num_rows;
    a.out += a.num_rows;
  }
}

}  // namespace
}  // namespace quire::cpu
