#pragma once

#include "kernels/base/tensor_view.h"
#include "kernels/cuda/device/portable.h"
#include "kernels/cuda/launch.h"

/// Rows of f32 in device memory, read and written by groups of four columns: one 16-byte access
/// where rows lie for it, four of 4 bytes where not. A group belongs to the same thread either way,
/// so that sums have the same order.
namespace quire::cuda {

struct Rows {
  float* data;
  int64_t stride;

  __device__ __forceinline__ float* row(int64_t r) const { return data + r * stride; }
};
struct ConstRows {
  const float* data;
  int64_t stride;

  __device__ __forceinline__ const float* row(int64_t r) const { return data + r * stride; }
};

inline Rows rows_of(const TensorView& view) {
  return {view.as<float>(), view.row_stride()};
}
inline ConstRows rows_of(const ConstTensorView& view) {
  return {view.as<float>(), view.row_stride()};
}

inline bool is_aligned_pointer(const void* data) {
  return reinterpret_cast<uintptr_t>(data) % 16 == 0;
}
/// Whether every fourth element of every row, from the first, is at a multiple of 16 bytes.
inline bool is_aligned(const ConstTensorView& view) {
  return is_aligned_pointer(view.data()) && view.row_stride() % 4 == 0;
}

/// Elements [i, i + 4) of a row of n; zeros past its end. kAligned: n is a multiple of 4, too.
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

/// Operation::run<kAligned>(row, i, n) for each group of four columns of each row, one thread each.
/// Bound by memory; blocks are small, so that the few rows of a decode step spread over the GPU.
template <bool kAligned, typename Operation>
__global__ void for_each_group_kernel(Operation operation, int64_t num_columns,
                                      unsigned blocks_per_row) {
  const int64_t row = blockIdx.x / blocks_per_row;
  const int64_t group = int64_t{blockIdx.x % blocks_per_row} * blockDim.x + threadIdx.x;
  if (4 * group < num_columns) operation.template run<kAligned>(row, 4 * group, num_columns);
}

/// aligned: whether all tensors of the operation are.
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
  if (aligned && num_columns % 4 == 0) {
    launch(queue, name, for_each_group_kernel<true, Operation>, shape, operation, num_columns,
           blocks_per_row);
  } else {
    launch(queue, name, for_each_group_kernel<false, Operation>, shape, operation, num_columns,
           blocks_per_row);
  }
}

}  // namespace quire::cuda
