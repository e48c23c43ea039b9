#pragma once

#include "kernels/cuda/attention/attention_layout.h"
#include "kernels/cuda/rows/out_rows.h"

/// The result of attention, in f32 or as half rows.
namespace quire::cuda {

/// A head's part of a row of out.
struct HeadOut {
  void* row;
  int first_column;
  RowFormat format;

  __device__ __forceinline__ HeadOut(const AttentionArguments& args, int64_t row_index, int head)
      : row(static_cast<char*>(args.out) +
            row_index * args.out_stride * (args.out_format == RowFormat::kF32 ? 4 : 2)),
        first_column(head * args.value_dim),
        format(args.out_format) {}

  __device__ __forceinline__ void store(int dim, float value) const {
    if (format == RowFormat::kF32) {
      static_cast<float*>(row)[first_column + dim] = value;
    } else {
      store_half(row, first_column + dim, value, format);
    }
  }
  /// Dimensions dim and dim + 1; both even, as the head's first column.
  __device__ __forceinline__ void store_two(int dim, float first, float second) const {
    if (format == RowFormat::kF32) {
      *reinterpret_cast<float2*>(static_cast<float*>(row) + first_column + dim) =
          make_float2(first, second);
    } else {
      static_cast<uint32_t*>(row)[half_word(first_column + dim)] =
          round_pair(first, second, format);
    }
  }
  /// Zeros behind the last head of a half row, by num_threads threads.
  __device__ __forceinline__ void clear_padding(const AttentionArguments& args, int thread,
                                                int num_threads) const {
    if (first_column + args.value_dim != args.num_heads * args.value_dim) return;
    for (int dim = args.value_dim + thread; first_column + dim < args.out_stride;
         dim += num_threads) {
      store(dim, 0.0f);
    }
  }
};

}  // namespace quire::cuda
