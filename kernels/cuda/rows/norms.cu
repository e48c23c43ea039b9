// rms_norm, add_rms_norm, layer_norm and gated_norm.
//
// The order of a row's sum depends on its length alone: thread t of the row's threads adds the
// groups of four t, t + threads, ... in a chain of fused multiply-adds, and the threads' sums are
// added in a butterfly. Up to 8,192 columns a chain has at most 8 steps, and the relative error of
// the sum is below 20 * 2^-24; that of its root is half of it, and three more roundings follow.

#include "kernels/base/shape_checks.h"
#include "kernels/cuda/device/launch_order.h"
#include "kernels/cuda/linear/out_rows.h"
#include "kernels/cuda/operations.h"
#include "kernels/cuda/rows/row_access.h"
#include "kernels/state_shapes.h"

namespace quire::cuda {
namespace {

/// Groups of four that a thread keeps in registers between the sum and the product.
constexpr int kKeptGroups = 2;
constexpr unsigned kMaxThreads = 1024;

/// Rows of a norm: (T, C), or the heads of (T, H, D), which are adjacent in a row.
struct NormTask {
  OutRows out;
  ConstRows x;    ///< Only for rms_norm.
  Rows residual;  ///< Only for add_rms_norm, as delta.
  ConstRows delta;
  const float* weight;
  int64_t num_rows;  ///< T * H
  int64_t num_heads;
  int64_t n;
  float eps;
};

__device__ __forceinline__ float sum_of_squares(float4 x, float sum) {
  sum = fmaf(x.x, x.x, sum);
  sum = fmaf(x.y, x.y, sum);
  sum = fmaf(x.z, x.z, sum);
  return fmaf(x.w, x.w, sum);
}

/// The sum over the threads of a row, which are a warp or the whole block.
__device__ __forceinline__ float row_sum(float x) {
  __shared__ float warps[kWarpSize];
  x = warp_sum(x);
  if (blockDim.x == kWarpSize) return x;
  if (lane_index() == 0) warps[warp_index()] = x;
  __syncthreads();
  const int num_warps = static_cast<int>(blockDim.x) / kWarpSize;
  return warp_sum(lane_index() < num_warps ? warps[lane_index()] : 0.0f);
}

/// The group's values of x; with kAdds those of the residual, after adding delta to it in memory.
template <bool kAligned, bool kAdds>
__device__ __forceinline__ float4 read_group(const float* x, float* residual, const float* delta,
                                             int64_t i, int64_t n) {
  if constexpr (!kAdds) {
    return load_group<kAligned>(x, i, n);
  } else {
    float4 sum = load_group<kAligned>(residual, i, n);
    const float4 other = load_group<kAligned>(delta, i, n);
    sum = make_float4(sum.x + other.x, sum.y + other.y, sum.z + other.z, sum.w + other.w);
    store_group<kAligned>(residual, i, n, sum);
    return sum;
  }
}

/// blockDim: (threads of a row, rows of a block); a block has several rows only if a row has one
/// warp. A thread writes only elements that it alone reads, so out may alias x or delta in f32.
template <bool kAligned, bool kAdds>
__global__ void __launch_bounds__(kMaxThreads) rms_norm_kernel(NormTask task) {
  begin_in_order();
  const int64_t row = int64_t{blockIdx.x} * blockDim.y + threadIdx.y;
  if (row >= task.num_rows) return;
  const int64_t n = task.n;
  const int64_t t = row / task.num_heads;
  const int64_t head = row % task.num_heads * n;
  const float* const x = kAdds ? nullptr : task.x.row(t) + head;
  float* const residual = kAdds ? task.residual.row(t) + head : nullptr;
  const float* const delta = kAdds ? task.delta.row(t) + head : nullptr;
  const RowFormat format = task.out.format;
  const int64_t begin = 4 * int64_t{threadIdx.x};
  const int64_t step = 4 * int64_t{blockDim.x};

  float4 kept[kKeptGroups] = {};
  float sum = 0.0f;
#pragma unroll
  for (int j = 0; j < kKeptGroups; ++j) {
    const int64_t i = begin + j * step;
    if (i >= n) continue;
    kept[j] = read_group<kAligned, kAdds>(x, residual, delta, i, n);
    sum = sum_of_squares(kept[j], sum);
  }
  for (int64_t i = begin + kKeptGroups * step; i < n; i += step) {
    sum = sum_of_squares(read_group<kAligned, kAdds>(x, residual, delta, i, n), sum);
  }
  const float inverse = 1.0f / sqrtf(row_sum(sum) / static_cast<float>(n) + task.eps);

  const auto write = [&](int64_t i, float4 value) {
    float4 y = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (i < n) {
      const float4 factor = load_group<kAligned>(task.weight, i, n);
      y = make_float4(value.x * inverse * factor.x, value.y * inverse * factor.y,
                      value.z * inverse * factor.z, value.w * inverse * factor.w);
    }
    if (format == RowFormat::kF32) {
      store_group<kAligned>(task.out.floats(t) + head, i, n, y);
    } else {
      store_quantized_group(task.out.words(t), i, n, y, format);
    }
  };
  // The same for all lanes of a warp, unless rows are f32.
  const int64_t end = stored_columns(n, format);
#pragma unroll
  for (int j = 0; j < kKeptGroups; ++j) {
    const int64_t i = begin + j * step;
    if (i < end) write(i, kept[j]);
  }
  const float* const again = kAdds ? residual : x;
  for (int64_t i = begin + kKeptGroups * step; i < end; i += step) {
    write(i, i < n ? load_group<kAligned>(again, i, n) : make_float4(0.0f, 0.0f, 0.0f, 0.0f));
  }
}

struct LayerNormTask {
  OutRows out;
  ConstRows x;
  const float* weight;
  const float* bias;  ///< Or null.
  int64_t num_rows;   ///< T * H
  int64_t num_heads;
  int64_t n;
  float eps;
};

/// One warp for each row, the squares in a pass of their own, as LayerNorm is rare beside RMSNorm:
/// lane l adds the elements l, l + 32, ..., and the lanes' sums are added in a butterfly.
__global__ void layer_norm_kernel(LayerNormTask task) {
  begin_in_order();
  const int64_t row = int64_t{blockIdx.x} * blockDim.y + threadIdx.y;
  if (row >= task.num_rows) return;
  const int64_t head = row % task.num_heads * task.n;
  const float* const x = task.x.row(row / task.num_heads) + head;
  const auto size = static_cast<float>(task.n);
  float sum = 0.0f;
  for (int64_t i = lane_index(); i < task.n; i += kWarpSize) sum += x[i];
  const float mean = warp_sum(sum) / size;
  float rest = 0.0f;
  float squares = 0.0f;
  for (int64_t i = lane_index(); i < task.n; i += kWarpSize) {
    const float difference = x[i] - mean;
    rest += difference;
    squares = fmaf(difference, difference, squares);
  }
  const float shift = warp_sum(rest) / size;  // What the mean's rounding left.
  const float variance = warp_sum(squares) / size - shift * shift;
  const float inverse = 1.0f / sqrtf(variance + task.eps);
  const auto normed = [&](int64_t i) {
    if (i >= task.n) return 0.0f;
    // The same roundings wherever it is compiled into: no multiplication is fused with the
    // addition.
    const float value = __fmul_rn(__fmul_rn(x[i] - mean - shift, inverse), task.weight[i]);
    return task.bias == nullptr ? value : __fadd_rn(value, task.bias[i]);
  };
  if (task.out.format == RowFormat::kF32) {
    float* const out = task.out.floats(row / task.num_heads) + head;
    for (int64_t i = lane_index(); i < task.n; i += kWarpSize) out[i] = normed(i);
    return;
  }
  const int64_t end = stored_columns(task.n, task.out.format);
  for (int64_t i = 4 * lane_index(); i < end; i += 4 * kWarpSize) {
    store_quantized_group(task.out.words(row), i, task.n,
                          make_float4(normed(i), normed(i + 1), normed(i + 2), normed(i + 3)),
                          task.out.format);
  }
}

struct GatedNormTask {
  Rows x;
  ConstRows gate;
  const float* weight;
  int64_t weight_stride;  ///< From a group's weights to the next one's; 0 if all share them.
  int64_t num_rows;       ///< T * groups
  int64_t num_groups;
  int64_t n;
  float eps;
};

/// blockDim: as rms_norm_kernel. Thread t of a group's threads adds the elements t, t + threads,
/// ....
template <bool kGateFirst>
__global__ void __launch_bounds__(kMaxThreads) gated_norm_kernel(GatedNormTask task) {
  begin_in_order();
  const int64_t row = int64_t{blockIdx.x} * blockDim.y + threadIdx.y;
  if (row >= task.num_rows) return;
  const int64_t group = row % task.num_groups;
  float* const x = task.x.row(row / task.num_groups) + group * task.n;
  const float* const gate = task.gate.row(row / task.num_groups) + group * task.n;
  const float* const weight = task.weight + group * task.weight_stride;
  const auto silu = [](float g) { return g / (1.0f + expf(-g)); };
  float sum = 0.0f;
  for (int64_t i = threadIdx.x; i < task.n; i += blockDim.x) {
    const float value = kGateFirst ? x[i] * silu(gate[i]) : x[i];
    sum = fmaf(value, value, sum);
  }
  const float inverse = 1.0f / sqrtf(row_sum(sum) / static_cast<float>(task.n) + task.eps);
  for (int64_t i = threadIdx.x; i < task.n; i += blockDim.x) {
    const float factor = silu(gate[i]);
    x[i] = kGateFirst ? x[i] * factor * inverse * weight[i] : x[i] * inverse * weight[i] * factor;
  }
}

/// checked_norm_heads() for an out that may be quantised activations, which have no heads.
int64_t checked_heads(const TensorView& out, const ConstTensorView& x,
                      const ConstTensorView& weight) {
  if (out.dtype() == DType::kF32) return checked_norm_heads(out, x, weight);
  CHECK(x.rank() == 2 && has_shape(out, out.dtype(), {x.dim(0), x.dim(1)}));
  return checked_norm_heads(x, x, weight);
}

bool can_group(const TensorView& out) {
  return out.dtype() != DType::kF32 || is_aligned(out);
}

/// Short rows (heads) get a warp each, so that the many of a decode step fill few blocks; a longer
/// row gets a block whose threads hold all of it in registers if possible. Bound by memory, in a
/// decode step by the launch.
template <bool kAdds>
void submit_norm(CommandQueue& queue, const char* name, const NormTask& task, bool aligned) {
  constexpr int64_t kGroupsOfWarp = int64_t{kKeptGroups} * kWarpSize;
  const int64_t groups = (task.n + 3) / 4;
  dim3 block(kWarpSize, 4);
  if (groups > kGroupsOfWarp) {
    const unsigned threads = kWarpSize * grid_size(groups, kGroupsOfWarp);
    block = dim3(threads < kMaxThreads ? threads : kMaxThreads);
  }
  const LaunchShape shape{.grid = dim3(grid_size(task.num_rows, block.y)), .block = block};
  launch_early(
      queue, name,
      aligned && task.n % 4 == 0 ? rms_norm_kernel<true, kAdds> : rms_norm_kernel<false, kAdds>,
      shape, task);
}

}  // namespace

void rms_norm(CommandQueue& queue, TensorView out, ConstTensorView x, ConstTensorView weight,
              float eps) {
  const int64_t num_rows = out.dim(0);
  const int64_t n = weight.dim(0);
  const int64_t num_heads = checked_heads(out, x, weight);
  const NormTask task{.out = out_rows_of(out),
                      .x = rows_of(x),
                      .residual = {},
                      .delta = {},
                      .weight = weight.as<float>(),
                      .num_rows = num_rows * num_heads,
                      .num_heads = num_heads,
                      .n = n,
                      .eps = eps};
  const bool aligned = can_group(out) && is_aligned(x) && is_aligned_pointer(weight.data());
  submit_norm<false>(queue, "rms_norm", task, aligned);
}

void layer_norm(CommandQueue& queue, TensorView out, ConstTensorView x, ConstTensorView weight,
                ConstTensorView bias, float eps) {
  const int64_t num_rows = out.dim(0);
  const int64_t n = weight.dim(0);
  const int64_t num_heads = checked_heads(out, x, weight);
  CHECK(bias.empty() || have_shape({bias}, {n}));
  const LayerNormTask task{.out = out_rows_of(out),
                           .x = rows_of(x),
                           .weight = weight.as<float>(),
                           .bias = bias.empty() ? nullptr : bias.as<float>(),
                           .num_rows = num_rows * num_heads,
                           .num_heads = num_heads,
                           .n = n,
                           .eps = eps};
  constexpr unsigned kRowsPerBlock = 4;
  launch_early(queue, "layer_norm", layer_norm_kernel,
               {.grid = dim3(grid_size(task.num_rows, kRowsPerBlock)),
                .block = dim3(kWarpSize, kRowsPerBlock)},
               task);
}

void gated_norm(CommandQueue& queue, TensorView x, ConstTensorView gate, ConstTensorView weight,
                const GatedNormParams& params) {
  const int64_t weight_stride = checked_gated_norm(x, gate, weight, params);
  const int64_t num_groups = x.dim(1) / params.group_size;
  const GatedNormTask task{.x = rows_of(x),
                           .gate = rows_of(gate),
                           .weight = weight.as<float>(),
                           .weight_stride = weight_stride,
                           .num_rows = x.dim(0) * num_groups,
                           .num_groups = num_groups,
                           .n = params.group_size,
                           .eps = params.eps};
  constexpr int64_t kElementsOfWarp = 8 * kWarpSize;
  dim3 block(kWarpSize, 4);
  if (task.n > kElementsOfWarp) {
    const unsigned threads = kWarpSize * grid_size(task.n, kElementsOfWarp);
    block = dim3(threads < kMaxThreads ? threads : kMaxThreads);
  }
  launch_early(queue, "gated_norm",
               params.gate_first ? gated_norm_kernel<true> : gated_norm_kernel<false>,
               {.grid = dim3(grid_size(task.num_rows, block.y)), .block = block}, task);
}

void add_rms_norm(CommandQueue& queue, TensorView out, TensorView residual, ConstTensorView delta,
                  ConstTensorView weight, float eps) {
  const int64_t num_rows = out.dim(0);
  const int64_t n = out.dim(1);
  CHECK(has_shape(out, out.dtype(), {num_rows, n}) && have_shape({weight}, {n}));
  CHECK(have_shape({residual, delta}, {num_rows, n}));
  const NormTask task{.out = out_rows_of(out),
                      .x = {},
                      .residual = rows_of(residual),
                      .delta = rows_of(delta),
                      .weight = weight.as<float>(),
                      .num_rows = num_rows,
                      .num_heads = 1,
                      .n = n,
                      .eps = eps};
  const bool aligned = can_group(out) && is_aligned(residual) && is_aligned(delta) &&
                       is_aligned_pointer(weight.data());
  submit_norm<true>(queue, "add_rms_norm", task, aligned);
}

}  // namespace quire::cuda
