#pragma once

// The linear layer for each dtype of weight; included only by the variants' sources.

#include "kernels/cpu/simd/decode_simd.h"
#include "kernels/cpu/simd/linear_simd.h"

namespace quire::cpu {
namespace {

/// Dequantises kTileVecs vectors of columns of one chunk.
template <class V, class Format>
void decode_tile(float* tile, const void* chunk, int column, int64_t length) {
  const auto* block = static_cast<const uint8_t*>(chunk);
  constexpr int kVecs = V::kTileVecs;
  for (int64_t k = 0; k < length; k += Format::kElements) {
    decode_block<Format, V, kVecs>(block, column,
                                   [tile](int i, const typename V::F(&values)[kVecs]) {
#pragma GCC unroll 8
                                     for (int v = 0; v < kVecs; ++v)
                                       V::store(tile + (i * kVecs + v) * V::kWidth, values[v]);
                                   });
    tile += Format::kElements * kVecs * V::kWidth;
    block += Format::kBytes * kPanelColumns;
  }
}

/// kRows rows times kVecs vectors of columns, the first of them `column`, over one chunk.
template <class V, class Format, int kRows, int kVecs>
inline void multiply_blocks(const float* x, int64_t x_stride, const uint8_t* block, int column,
                            int64_t length, typename V::F (&sums)[kRows][kVecs]) {
#pragma GCC unroll 4
  for (int row = 0; row < kRows; ++row) {
#pragma GCC unroll 4
    for (int v = 0; v < kVecs; ++v) sums[row][v] = V::zero();
  }
  for (int64_t k = 0; k < length; k += Format::kElements) {
    const float* const inputs = x + k;
    const auto multiply = [&](int i, const typename V::F(&values)[kVecs]) {
#pragma GCC unroll 4
      for (int row = 0; row < kRows; ++row) {
        const typename V::F input = V::set1(inputs[row * x_stride + i]);
#pragma GCC unroll 4
        for (int v = 0; v < kVecs; ++v) sums[row][v] = V::fma(input, values[v], sums[row][v]);
      }
    };
    decode_block<Format, V, kVecs>(block, column, multiply);
    block += Format::kBytes * kPanelColumns;
  }
}

/// kRows rows on quantised weights, multiplied while they are dequantised.
template <class V, class Format, int kRows>
void linear_few_rows_decoding(const LinearRows& a) {
  constexpr int kVecs = V::decode_vecs(kRows);
  constexpr int kColumns = kVecs * V::kWidth;
  const auto* chunk = static_cast<const uint8_t*>(a.panel);
  const float* x = a.x;
  for (int64_t k = 0; k < a.num_inputs; k += kChunkInputs) {
    const int64_t length = min_of(kChunkInputs, a.num_inputs - k);
    const bool last = k + length == a.num_inputs;
    for (int column = 0; column < a.num_columns; column += kColumns) {
      typename V::F sums[kRows][kVecs];
      multiply_blocks<V, Format, kRows, kVecs>(x, a.x_stride, chunk, column, length, sums);
      const float* const bias = last && a.bias != nullptr ? a.bias + column : nullptr;
#pragma GCC unroll 4
      for (int row = 0; row < kRows; ++row) {
        add_chunk<V, kVecs>(a.out + row * a.out_stride + column, sums[row], a.num_columns - column,
                            k == 0, bias);
      }
    }
    chunk += a.chunk_bytes;
    x += a.x_chunk_stride;
  }
}

/// linear_few_rows_decoding for a number of rows known at run time, from 1 to kDecodeRows.
template <class V, class Format, int kRows = V::kDecodeRows>
inline void decode_few_rows(const LinearRows& a, int64_t rows) {
  if constexpr (kRows > 1) {
    if (rows < kRows) return decode_few_rows<V, Format, kRows - 1>(a, rows);
  }
  linear_few_rows_decoding<V, Format, kRows>(a);
}

/// linear_rows on quantised weights, which are dequantised anew for every kDecodeRows rows.
template <class V, class Format>
void linear_rows_decoding(const LinearRows& args) {
  LinearRows a = args;
  while (a.num_rows > 0) {
    const int64_t count = min_of(a.num_rows, V::kDecodeRows);
    decode_few_rows<V, Format>(a, count);
    a.x += count * a.x_stride;
    a.out += count * a.out_stride;
    a.num_rows -= count;
  }
}

/// What the product needs of a dtype.
struct LinearFunctions {
  void (*rows)(const LinearRows&);
  WidenTile widen_tile;
};

template <class V, class W>
LinearFunctions functions_of_weight() {
  return {linear_rows_typed<V, W>, widen_tile<V, W>};
}

template <class V, class Format>
LinearFunctions functions_of_format() {
  return {linear_rows_decoding<V, Format>, decode_tile<V, Format>};
}

template <class V>
LinearFunctions linear_functions(DType dtype) {
  switch (dtype) {
    case DType::kBF16:
      return functions_of_weight<V, WeightBF16>();
    case DType::kF16:
      return functions_of_weight<V, WeightF16>();
    case DType::kQ4_0:
      return functions_of_format<V, DecodeQ4_0>();
    case DType::kQ4_1:
      return functions_of_format<V, DecodeQ4_1>();
    case DType::kQ5_0:
      return functions_of_format<V, DecodeQ5_0>();
    case DType::kQ5_1:
      return functions_of_format<V, DecodeQ5_1>();
    case DType::kQ8_0:
      return functions_of_format<V, DecodeQ8_0>();
    case DType::kQ2_K:
      return functions_of_format<V, DecodeQ2_K>();
    case DType::kQ3_K:
      return functions_of_format<V, DecodeQ3_K>();
    case DType::kQ4_K:
      return functions_of_format<V, DecodeQ4_K>();
    case DType::kQ5_K:
      return functions_of_format<V, DecodeQ5_K>();
    case DType::kQ6_K:
      return functions_of_format<V, DecodeQ6_K>();
    case DType::kIQ4_NL:
      return functions_of_format<V, DecodeIQ4_NL>();
    case DType::kIQ4_XS:
      return functions_of_format<V, DecodeIQ4_XS>();
    case DType::kMXFP4:
      return functions_of_format<V, DecodeMXFP4>();
    default:
      return functions_of_weight<V, WeightF32>();
  }
}

template <class V>
void linear_rows(const LinearRows& a) {
  linear_functions<V>(a.dtype).rows(a);
}

template <class V>
void linear_block(const LinearBlock& b) {
  linear_block<V>(b, linear_functions<V>(b.dtype).widen_tile);
}

}  // namespace
}  // namespace quire::cpu
