#pragma once

// Products of inputs and weights in bf16 (LinearBf16) by the processor's products of pairs;
// included only by bf16_simd.h. A chunk of a panel is unpacked into the second-level cache as
// pairs, two inputs of an output side by side, and reused for a block of rows.

#include <cstring>

#include "kernels/cpu/cpu_kernels.h"

namespace quire::cpu {
namespace {

inline constexpr int kChunkPairs = kChunkInputs / 2;
/// Rows that share an unpacked chunk.
inline constexpr int kBf16BlockRows = 96;

/// The weights' element type as a type: bits(p), the bf16 numbers of a vector of outputs.
struct PairsOfBF16 {
  template <class V>
  static typename V::I bits(const uint16_t* p) {
    return V::load_u16(p);
  }
};
struct PairsOfF16 {
  template <class V>
  static typename V::I bits(const uint16_t* p) {
    return V::bf16_bits(V::load_f16(p));
  }
};

struct UnpackedPairs {
  alignas(64) uint32_t pairs[kChunkPairs][kPanelColumns];
};

/// Inputs k and k + 1 of a vector of outputs; w: input k. Without the second it is zero.
template <class V, class W>
inline typename V::I pair_at(const uint16_t* w, bool has_second) {
  const typename V::I first = W::template bits<V>(w);
  if (!has_second) return first;
  return V::or_i(first, V::shift_left(W::template bits<V>(w + kPanelColumns), 16));
}

/// length: inputs of the chunk. Pairs up to a multiple of kBf16Inputs are written.
template <class V, class W>
void unpack_pairs(const uint16_t* chunk, int64_t length, UnpackedPairs& to) {
  const int64_t padded = (length + kBf16Inputs - 1) / kBf16Inputs * kBf16Inputs;
  for (int64_t k = 0; k < padded; k += 2) {
    const uint16_t* const w = chunk + k * kPanelColumns;
    uint32_t* const out = to.pairs[k / 2];
    __builtin_prefetch(w + 16 * kPanelColumns);
    __builtin_prefetch(w + 16 * kPanelColumns + kPanelColumns / 2);
    __builtin_prefetch(w + 17 * kPanelColumns);
    __builtin_prefetch(w + 17 * kPanelColumns + kPanelColumns / 2);
    for (int column = 0; column < kPanelColumns; column += V::kWidth) {
      const typename V::I pair =
          k < length ? pair_at<V, W>(w + column, k + 1 < length) : V::set1_i(0);
      V::store_i(reinterpret_cast<int32_t*>(out + column), pair);
    }
  }
}

/// Two inputs of a row.
template <class V>
inline typename V::I input_pair(const uint16_t* x) {
  int two;
  __builtin_memcpy(&two, x, sizeof two);
  return V::set1_i(two);
}

/// kRows rows times the panel over one chunk. totals: rows of kPanelColumns.
template <class V, int kRows, int kVecs>
inline void multiply_pairs(const uint16_t* const* x, int64_t first_input, int64_t num_pairs,
                           const UnpackedPairs& weights, int column, float* totals) {
  typename V::F sums[kRows][kVecs];
#pragma GCC unroll 32
  for (int i = 0; i < kRows * kVecs; ++i) {
    sums[i / kVecs][i % kVecs] =
        V::load(totals + i / kVecs * kPanelColumns + column + i % kVecs * V::kWidth);
  }
  for (int64_t p = 0; p < num_pairs; ++p) {
    typename V::I pairs[kVecs];
#pragma GCC unroll 4
    for (int v = 0; v < kVecs; ++v) {
      pairs[v] =
          V::load_i(reinterpret_cast<const int32_t*>(weights.pairs[p] + column + v * V::kWidth));
    }
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const typename V::I inputs = input_pair<V>(x[r] + first_input + 2 * p);
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

/// As many of the rows as are left, at most kRows.
template <class V, int kRows = V::kBf16Rows>
inline void multiply_pairs_of_rows(int64_t rows, const uint16_t* const* x, int64_t first_input,
                                   int64_t num_pairs, const UnpackedPairs& weights, float* totals) {
  if constexpr (kRows > 1) {
    if (rows < kRows) {
      return multiply_pairs_of_rows<V, kRows - 1>(rows, x, first_input, num_pairs, weights, totals);
    }
  }
  constexpr int kVecs = 4;
  for (int column = 0; column < kPanelColumns; column += kVecs * V::kWidth) {
    multiply_pairs<V, kRows, kVecs>(x, first_input, num_pairs, weights, column, totals);
  }
}

/// The totals of a row, with the bias, to where they belong.
template <class V>
inline void store_row(const float* totals, float* out, int num_columns, const float* bias) {
  for (int column = 0; column < num_columns; column += V::kWidth) {
    const int count = num_columns - column;
    typename V::F sum = V::load(totals + column);
    if (bias != nullptr) sum = V::add(sum, V::load_n(bias + column, count));
    V::store_n(out + column, sum, count);
  }
}

/// A block of rows; multiply(chunk's first input, its length, its pairs, totals).
template <class V, class W, int kMostRows, class Multiply>
inline void multiply_bf16_block(const LinearBf16& a, int64_t padded_rows, Multiply multiply) {
  UnpackedPairs weights;
  alignas(64) float totals[kMostRows * kPanelColumns];
  std::memset(totals, 0, static_cast<size_t>(padded_rows) * kPanelColumns * sizeof(float));
  for (int64_t k = 0; k < a.num_inputs; k += kChunkInputs) {
    const int64_t length = a.num_inputs - k < kChunkInputs ? a.num_inputs - k : kChunkInputs;
    unpack_pairs<V, W>(static_cast<const uint16_t*>(a.panel) + k * kPanelColumns, length, weights);
    multiply(k, length, weights, totals);
  }
  for (int64_t row = 0; row < a.num_rows; ++row) {
    store_row<V>(totals + row * kPanelColumns, a.out[row], a.num_columns, a.bias);
  }
}

template <class V, class W>
void linear_bf16_by_vectors(const LinearBf16& args) {
  LinearBf16 a = args;
  for (int64_t left = args.num_rows; left > 0; left -= a.num_rows) {
    a.num_rows = left < kBf16BlockRows ? left : kBf16BlockRows;
    const auto multiply = [&](int64_t k, int64_t length, const UnpackedPairs& weights,
                              float* totals) {
      for (int64_t row = 0; row < a.num_rows; row += V::kBf16Rows) {
        multiply_pairs_of_rows<V>(a.num_rows - row, a.x + row, k, (length + 1) / 2, weights,
                                  totals + row * kPanelColumns);
      }
    };
    multiply_bf16_block<V, W, kBf16BlockRows>(a, a.num_rows, multiply);
    a.x += a.num_rows;
    a.out += a.num_rows;
  }
}

/// One row, whose pairs go from the panel to the product in registers.
template <class V, class W>
void linear_bf16_of_one(const LinearBf16& a) {
  constexpr int kVecs = kPanelColumns / V::kWidth;
  const auto* w = static_cast<const uint16_t*>(a.panel);
  typename V::F sums[kVecs];
  for (int v = 0; v < kVecs; ++v) sums[v] = V::zero();
  for (int64_t k = 0; k < a.num_inputs; k += 2, w += 2 * kPanelColumns) {
    constexpr int kAhead = 16 * kPanelColumns;
    for (int i = 0; i < 2 * kPanelColumns; i += 32) __builtin_prefetch(w + kAhead + i);
    const typename V::I inputs = input_pair<V>(a.x[0] + k);
    const bool has_second = k + 1 < a.num_inputs;
#pragma GCC unroll 4
    for (int v = 0; v < kVecs; ++v) {
      sums[v] = V::dot_bf16(sums[v], pair_at<V, W>(w + v * V::kWidth, has_second), inputs);
    }
  }
  alignas(64) float totals[kPanelColumns];
  for (int v = 0; v < kVecs; ++v) V::store(totals + v * V::kWidth, sums[v]);
  store_row<V>(totals, a.out[0], a.num_columns, a.bias);
}

}  // namespace
}  // namespace quire::cpu
