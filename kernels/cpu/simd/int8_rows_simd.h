#pragma once

// Products of 8-bit inputs and quantised weights (LinearInt8) for few rows, a chat or two; included
// only by int8_simd.h. Codes and scales go from the panel to the product without being stored
// between.

#include "kernels/cpu/simd/int8_product_simd.h"

namespace quire::cpu {
namespace {

/// Sums of kRows rows for four vectors of outputs.
template <class V, int kRows>
struct FewSums {
  typename V::F at[kRows][4];
};

/// Adds group g of the block, of outputs from `column`; x: the rows' chunk; first: the chunk's
/// group that is the block's first.
template <class V, class Format, int kRows>
inline void add_group_of_few(const uint8_t* block, int column, const QuadScales<V>& heads,
                             const Int8Chunk* const (&x)[kRows], int first, int g,
                             FewSums<V, kRows>& sums) {
  using Codes = Int8Codes<V, Format>;
  using Rules = Int8Rules<Codes::kSigned, Format>;
  const uint8_t* const codes = block + 4 * column;
  const int group = first + g;
  typename V::I dots[kRows][4];
#pragma GCC unroll 4
  for (int row = 0; row < kRows; ++row) {
    const auto zero = V::set1_i(-Codes::kBias * sum_of_group<Rules>(*x[row], group));
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) dots[row][v] = zero;
  }
  constexpr int kRun = 4 * narrow_quads<V, Rules>();
#pragma GCC unroll 8
  for (int run = 0; run < Format::kGroup; run += kRun) {
    typename V::I pairs[kRows][4];
#pragma GCC unroll 8
    for (int k = run; k < run + kRun; k += 4) {
      const int input = g * Format::kGroup + k;
      typename V::B quads[4];
#pragma GCC unroll 4
      for (int v = 0; v < 4; ++v) {
        quads[v] = unpack_quads<V, Format, Codes::kBias>(codes + 4 * v * V::kWidth, input / 16,
                                                         input % 16);
      }
#pragma GCC unroll 4
      for (int row = 0; row < kRows; ++row) {
        const auto inputs = quad_of_inputs<V>(x[row]->codes + group * Format::kGroup + k);
#pragma GCC unroll 4
        for (int v = 0; v < 4; ++v) {
          dot_quad<V, Rules>(k == run, quads[v], inputs, pairs[row][v], dots[row][v]);
        }
      }
    }
#pragma GCC unroll 4
    for (int row = 0; row < kRows; ++row) end_run<V, Rules>(pairs[row], dots[row]);
  }
  const QuadScales<V> scales = unpack_group<V, Format>(block + column, heads, g);
#pragma GCC unroll 4
  for (int row = 0; row < kRows; ++row) {
    const float scale = x[row]->scales[group * Format::kGroup / 32];
    const float sum = scale * static_cast<float>(sum_of_group<Rules>(*x[row], group));
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      const typename V::F step = V::mul(scales.steps[v], V::set1(scale));
      sums.at[row][v] = V::fma(V::to_float(dots[row][v]), step, sums.at[row][v]);
      if constexpr (Format::kHasOffset) {
        sums.at[row][v] = V::fma(scales.offsets[v], V::set1(sum), sums.at[row][v]);
      }
    }
  }
}

/// All groups of a block, of outputs from `column`. The first of a panel's parts asks for the next
/// block meanwhile, for all of them: little by little, or reading would stop.
template <class V, class Format, int kRows>
inline void add_block_of_few(const uint8_t* block, int column, const Int8Chunk* const (&x)[kRows],
                             int first, FewSums<V, kRows>& sums) {
  constexpr int kGroups = Format::kElements / Format::kGroup;
  // Measured: with AVX2 knowing the halves is worth a sixth; with AVX-512, where memory is what one
  // row waits for, it costs as much.
  constexpr int kAlike = V::kWidth == 8 ? Format::kHalves : 1;
  const QuadScales<V> heads = unpack_heads<V, Format>(block + column);
  // Unrolled the loop would not fit the cache of instructions.
#pragma GCC unroll 1
  for (int first_of = 0; first_of < kGroups; first_of += kAlike) {
#pragma GCC unroll 2
    for (int g = first_of; g < first_of + kAlike; ++g) {
      for (int r = 0; column == 0 && r < Format::kGroup / 16; ++r) {
        prefetch_run<Format>(block, g * Format::kGroup / 16 + r);
      }
      add_group_of_few<V, Format, kRows>(block, column, heads, x, first, g, sums);
    }
  }
}

/// All inputs (so few rows are never given a part of them) and the panel's outputs.
template <class V, class Format, int kRows>
void multiply_few(const LinearInt8& a, FewSums<V, kRows> (&sums)[kPanelColumns / (4 * V::kWidth)]) {
  constexpr int kGroups = Format::kElements / Format::kGroup;
  const auto* block = static_cast<const uint8_t*>(a.panel);
  const int64_t num_blocks = a.inputs.end / Format::kElements;
  const Int8Chunk* x[kRows];
  for (int row = 0; row < kRows; ++row) x[row] = a.x[row];
  int first = 0;
  for (int64_t i = 0; i < num_blocks; ++i, block += Format::kBytes * kPanelColumns) {
    for (int part = 0; part * 4 * V::kWidth < kPanelColumns; ++part) {
      add_block_of_few<V, Format, kRows>(block, part * 4 * V::kWidth, x, first, sums[part]);
    }
    first = (first + kGroups) % (kChunkInputs / Format::kGroup);
    if (first > 0) continue;
    for (int row = 0; row < kRows; ++row) x[row] += a.x_chunk_stride;
  }
}

template <class V, class Format, int kRows = V::kFewRows>
void linear_int8_of_few(const LinearInt8& a) {
  if constexpr (kRows > 1) {
    if (a.num_rows < kRows) return linear_int8_of_few<V, Format, kRows - 1>(a);
  }
  constexpr int kParts = kPanelColumns / (4 * V::kWidth);
  FewSums<V, kRows> sums[kParts];
  for (FewSums<V, kRows>& part : sums) {
    for (int i = 0; i < 4 * kRows; ++i) part.at[i / 4][i % 4] = V::zero();
  }
  multiply_few<V, Format, kRows>(a, sums);
  for (int row = 0; row < kRows; ++row) {
    alignas(64) float totals[kPanelColumns];
    for (int i = 0; i < 4 * kParts; ++i) {
      V::store(totals + i * V::kWidth, sums[i / 4].at[row][i % 4]);
    }
    store_totals<V>(totals, a.out[row], a.num_columns, a.bias);
  }
}

}  // namespace
}  // namespace quire::cpu
