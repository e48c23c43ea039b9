// gaussian_top_k and match_magnitude: a block for each row, which is read two or three times and is
// in the cache after the first.
//
// Thread t adds the elements t, t + threads, ..., and the threads' sums are added in a butterfly:
// the order depends on a row's length alone.

#include "kernels/base/shape_checks.h"
#include "kernels/cuda/operations.h"
#include "kernels/cuda/rows/row_access.h"

namespace quire::cuda {
namespace {

constexpr int kThreads = 256;
constexpr float kLeastMeanOfSquares = 1e-5f;

/// The sum over the threads of the block.
__device__ __forceinline__ float block_sum(float x) {
  __shared__ float warps[kWarpSize];
  __syncthreads();  // The sum before has been read.
  x = warp_sum(x);
  if (lane_index() == 0) warps[warp_index()] = x;
  __syncthreads();
  return warp_sum(lane_index() < kThreads / kWarpSize ? warps[lane_index()] : 0.0f);
}

struct TopKTask {
  Rows x;
  int64_t n;
  float multiplier;
};

__global__ void __launch_bounds__(kThreads) gaussian_top_k_kernel(TopKTask task) {
  float* const x = task.x.row(blockIdx.x);
  const auto size = static_cast<float>(task.n);
  float sum = 0.0f;
  for (int64_t i = threadIdx.x; i < task.n; i += kThreads) sum += x[i];
  const float mean = block_sum(sum) / size;
  float squares = 0.0f;
  for (int64_t i = threadIdx.x; i < task.n; i += kThreads) {
    const float difference = x[i] - mean;
    squares = fmaf(difference, difference, squares);
  }
  const float threshold = fmaf(task.multiplier, sqrtf(block_sum(squares) / size), mean);
  for (int64_t i = threadIdx.x; i < task.n; i += kThreads) {
    const float above = x[i] - threshold;
    x[i] = above < 0.0f ? 0.0f : above;  // NaN stays.
  }
}

struct MatchTask {
  Rows x;
  ConstRows y;
  int64_t n;
};

__global__ void __launch_bounds__(kThreads) match_magnitude_kernel(MatchTask task) {
  float* const x = task.x.row(blockIdx.x);
  const float* const y = task.y.row(blockIdx.x);
  const auto size = static_cast<float>(task.n);
  float own = 0.0f;
  float other = 0.0f;
  for (int64_t i = threadIdx.x; i < task.n; i += kThreads) {
    own = fmaf(x[i], x[i], own);
    other = fmaf(y[i], y[i], other);
  }
  own = block_sum(own) / size;
  other = block_sum(other) / size;
  const float factor = sqrtf(other / (own < kLeastMeanOfSquares ? kLeastMeanOfSquares : own));
  for (int64_t i = threadIdx.x; i < task.n; i += kThreads) x[i] *= factor;
}

LaunchShape shape_of(const TensorView& x) {
  return {.grid = dim3(static_cast<unsigned>(x.dim(0))), .block = dim3(kThreads)};
}

}  // namespace

void gaussian_top_k(CommandQueue& queue, TensorView x, float multiplier) {
  CHECK(have_shape({x}, {x.dim(0), x.dim(1)}));
  if (x.dim(0) == 0) return;
  launch(queue, "gaussian_top_k", gaussian_top_k_kernel, shape_of(x),
         TopKTask{rows_of(x), x.dim(1), multiplier});
}

void match_magnitude(CommandQueue& queue, TensorView x, ConstTensorView y) {
  CHECK(have_shape({x, y}, {x.dim(0), x.dim(1)}));
  if (x.dim(0) == 0) return;
  launch(queue, "match_magnitude", match_magnitude_kernel, shape_of(x),
         MatchTask{rows_of(x), rows_of(y), x.dim(1)});
}

}  // namespace quire::cuda
