#pragma once

#include "kernels/cuda/attention/attention_layout.h"
#include "kernels/cuda/linear/out_rows.h"

/// The result of attention, in f32 or as quantised activations. In int8 each head has whole groups.
namespace quire::cuda {

/// A head's part of a row of out.
struct HeadOut {
  float* row;  ///< Or the words of a quantised row.
  int first_column;
  RowFormat format;

  __device__ __forceinline__ HeadOut(const AttentionArguments& args, int64_t row_index, int head)
      : row(static_cast<float*>(args.out) + row_index * args.out_row_words),
        first_column(head * args.value_dim),
        format(args.out_format) {}

  __device__ __forceinline__ uint32_t* words() const { return reinterpret_cast<uint32_t*>(row); }

  /// Dimension dim, of 32 neighbouring ones that the lanes of a warp store together (the last ones
  /// of a head may be fewer).
  __device__ __forceinline__ void store(int dim, float value) const {
    const int column = first_column + dim;
    if (format == RowFormat::kF32) {
      row[column] = value;
    } else if (format == RowFormat::kI8) {
      store_int8(words(), column, value);
    } else {
      store_half(row, column, value, format);
    }
  }
  /// Dimensions dim and dim + 1; both even, as the head's first column. Not in int8.
  __device__ __forceinline__ void store_two(int dim, float first, float second) const {
    if (format == RowFormat::kF32) {
      *reinterpret_cast<float2*>(row + first_column + dim) = make_float2(first, second);
    } else {
      words()[half_word(first_column + dim)] = round_pair(first, second, format);
    }
  }
  /// Dimensions [dim, dim + 32) of an int8 row, by the four lanes that have a row of D: x are the
  /// lane's, two in eight.
  __device__ __forceinline__ void store_group(int dim, const float2 (&x)[4]) const {
    const int q = lane_index() % 4;
    const unsigned lanes = 0xfu << (lane_index() - q);
    store_group_in_row(words(), (first_column + dim) / kGroupInputs, q, quantize_group(x, lanes));
  }
  /// Zeros behind the last head of a quantised row, by num_threads threads.
  __device__ __forceinline__ void clear_padding(const AttentionArguments& args, int thread,
                                                int num_threads) const {
    const int num_columns = args.num_heads * args.value_dim;
    if (format == RowFormat::kF32 || first_column + args.value_dim != num_columns) return;
    const int end = static_cast<int>(num_chunks_of(num_columns)) * kChunkInputs;
    if (format == RowFormat::kI8) {
      constexpr int kPartInputs = kGroupInputs / kPairVectors;
      for (int i = num_columns / kPartInputs + thread; i < end / kPartInputs; i += num_threads) {
        store_group_in_row(words(), i / kPairVectors, i % kPairVectors, {});
      }
    } else {
      for (int k = num_columns + thread; k < end; k += num_threads) {
        store_half(row, k, 0.0f, format);
      }
    }
  }
};

}  // namespace quire::cuda
