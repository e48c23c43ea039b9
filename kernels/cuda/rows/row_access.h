#pragma once

#include "kernels/base/tensor_view.h"
#include "kernels/cuda/device/launch_order.h"
#include "kernels/cuda/device/portable.h"
#include "kernels/cuda/launch.h"

/// Rows of f32 in device memory, read and written by groups of four columns: with one 16-byte
/// access if the rows are aligned, otherwise with four 4-byte accesses. The same thread processes a
/// group in both cases, so sums have the same order.
namespace quire::cuda {

template <typename Element>
struct RowsOf {
  Element* data;
  int64_t stride;

  __device__ __forceinline__ Element* row(int64_t r) const { return data + r * stride; }
};
using Rows = RowsOf<float>;
using ConstRows = RowsOf<const float>;

inline Rows rows_of(const TensorView& view) {
  return {view.as<float>(), view.row_stride()};
}
inline ConstRows rows_of(const ConstTensorView& view) {
  return {view.as<float>(), view.row_stride()};
}

/// Whether every fourth element of every row, from the first, is at a multiple of 16 bytes.
inline bool is_aligned(const ConstTensorView& view) {
  return is_aligned_pointer(view.data()) && view.row_stride() % 4 == 0;
}

/// Elements [i, i + 4) of a row of n; zeros past its end. kAligned: is_aligned(), n % 4 == 0.
template <bool kAligned>
__device__ __forceinline__ float4 load_group(const float* row, int64_t i, int64_t n) {
  if constexpr (kAligned) {
    return *reinterpret_cast<const float4*>(row + i);
  } else {
    return make_float4(row[i], i + 1 < n ? row[i + 1] : 0.0f, i + 2 < n ? row[i + 2] : 0.0f,
                       i + 3 < n ? row[i + 3] : 0.0f);
  }
}

template <bool kAligned>
__device__ __forceinline__ void store_group(float* row, int64_t i, int64_t n, float4 x) {
  if constexpr (kAligned) {
    *reinterpret_cast<float4*>(row + i) = x;
  } else {
    row[i] = x.x;
    if (i + 1 < n) row[i + 1] = x.y;
    if (i + 2 < n) row[i + 2] = x.z;
    if (i + 3 < n) row[i + 3] = x.w;
  }
}

/// Calls Operation::run<kAligned>(row, i, n) for each group of four columns of each row, one thread
/// for each. Bound by memory; blocks are small, so that the few rows of a decode step use the whole
/// GPU.
template <bool kAligned, typename Operation>
__global__ void for_each_group_kernel(Operation operation, int64_t num_columns,
                                      unsigned blocks_per_row) {
  begin_in_order();
  const int64_t row = blockIdx.x / blocks_per_row;
  const int64_t group = int64_t{blockIdx.x % blocks_per_row} * blockDim.x + threadIdx.x;
  if (4 * group < num_columns) operation.template run<kAligned>(row, 4 * group, num_columns);
}

/// aligned: whether all tensors of the operation are aligned (is_aligned).
template <typename Operation>
void for_each_group(CommandQueue& queue, const char* name, const Operation& operation,
                    int64_t num_rows, int64_t num_columns, bool aligned) {
  constexpr unsigned kMaxThreads = 128;
  const unsigned threads = grid_size(num_columns, 4) < kMaxThreads
                               ? kWarpSize * grid_size(num_columns, 4 * kWarpSize)
                               : kMaxThreads;
  if (num_rows == 0 || num_columns == 0) return;
  const unsigned blocks_per_row = grid_size(num_columns, 4 * int64_t{threads});
  const LaunchShape shape{.grid = dim3(static_cast<unsigned>(num_rows) * blocks_per_row),
                          .block = dim3(threads)};
  const auto kernel = aligned && num_columns % 4 == 0 ? for_each_group_kernel<true, Operation>
                                                      : for_each_group_kernel<false, Operation>;
  launch_early(queue, name, kernel, shape, operation, num_columns, blocks_per_row);
}

}  // namespace quire::cuda
