// mamba2_scan: as gated_delta, a warp has kWarpColumns of a head's P dimensions with their whole
// state in registers; lane l has the state's elements l, l + 32, ....

#include "kernels/cuda/operations.h"
#include "kernels/cuda/rows/row_access.h"
#include "kernels/cuda/state/state_rows.h"
#include "kernels/state_shapes.h"

namespace quire::cuda {
namespace {

struct ScanTask {
  StateRowsTask rows;
  Rows out;
  ConstRows x;
  ConstRows b;
  ConstRows c;
  ConstRows dt;
  float* states;
  int64_t slot_stride;
  const float* a;
  const float* dt_bias;
  const float* d;
  int heads_per_group;
  int num_dims;    ///< P
  int state_size;  ///< N
  float dt_min;
  float dt_max;
};

/// What a lane reads of one row.
template <int kWidth>
struct ScanRow {
  float b[kWidth];
  float c[kWidth];
  float x[kWarpColumns];
  float dt;
};

template <int kWidth>
__device__ __forceinline__ ScanRow<kWidth> read_row(const ScanTask& t, int64_t row, int head,
                                                    int dim) {
  ScanRow<kWidth> r;
  const int group = head / t.heads_per_group * t.state_size;
#pragma unroll
  for (int j = 0; j < kWidth; ++j) {
    const int i = lane_index() + j * kWarpSize;
    r.b[j] = i < t.state_size ? t.b.row(row)[group + i] : 0.0f;
    r.c[j] = i < t.state_size ? t.c.row(row)[group + i] : 0.0f;
  }
#pragma unroll
  for (int p = 0; p < kWarpColumns; ++p) {
    r.x[p] = dim + p < t.num_dims ? t.x.row(row)[head * t.num_dims + dim + p] : 0.0f;
  }
  r.dt = t.dt.row(row)[head];
  return r;
}

/// Returns S C of dimension lane / 4.
template <int kWidth>
__device__ __forceinline__ float scan_row(float (&state)[kWidth][kWarpColumns],
                                          const ScanRow<kWidth>& r, float dt, float decay) {
  float sums[kWarpColumns];
#pragma unroll
  for (int p = 0; p < kWarpColumns; ++p) {
    const float step = dt * r.x[p];
    sums[p] = 0.0f;
#pragma unroll
    for (int j = 0; j < kWidth; ++j) {
      state[j][p] = fmaf(step, r.b[j], state[j][p] * decay);
      sums[p] = fmaf(state[j][p], r.c[j], sums[p]);
    }
  }
  return reduce_columns(sums);
}

/// grid: (dimensions / (8 * kWarpsPerBlock), heads, sequences).
template <int kWidth>
__global__ void __launch_bounds__(kWarpSize* kWarpsPerBlock) mamba2_scan_kernel(ScanTask t) {
  const int dim = (static_cast<int>(blockIdx.x) * kWarpsPerBlock + warp_index()) * kWarpColumns;
  if (dim >= t.num_dims) return;
  const int head = static_cast<int>(blockIdx.y);
  const int64_t sequence = blockIdx.z;
  const int64_t offset = (int64_t{head} * t.num_dims + dim) * t.state_size;
  const auto for_each_element = [&](auto fn) {
#pragma unroll
    for (int p = 0; p < kWarpColumns; ++p) {
#pragma unroll
      for (int j = 0; j < kWidth; ++j) {
        const int i = lane_index() + j * kWarpSize;
        if (i < t.state_size && dim + p < t.num_dims) fn(j, p, int64_t{p} * t.state_size + i);
      }
    }
  };
  float state[kWidth][kWarpColumns] = {};
  const int32_t in = t.rows.in[sequence];
  if (in >= 0) {
    const float* const from = t.states + in * t.slot_stride + offset;
    for_each_element([&](int j, int p, int64_t at) { state[j][p] = from[at]; });
  }

  const float a = t.a[head];
  const float d = t.d[head];
  const float dt_bias = t.dt_bias[head];
  const int64_t last = t.rows.query_start[sequence + 1] - 1;
  ScanRow<kWidth> next = read_row<kWidth>(t, t.rows.query_start[sequence], head, dim);
  const int own = dim + lane_index() / 4;
  for_each_state_row(
      t.rows, sequence,
      [&](int32_t row) {
        const ScanRow<kWidth> r = next;
        // The next row's memory is read while this one is computed.
        if (row < last) next = read_row<kWidth>(t, row + 1, head, dim);
        const float step = softplus(r.dt + dt_bias);
        const float dt = step < t.dt_min ? t.dt_min : step > t.dt_max ? t.dt_max : step;
        const float sum = scan_row(state, r, dt, expf(dt * a));
        if (lane_index() % 4 == 0 && own < t.num_dims) {
          const int column = head * t.num_dims + own;
          t.out.row(row)[column] = fmaf(d, t.x.row(row)[column], sum);
        }
      },
      [&](int32_t slot) {
        float* const to = t.states + slot * t.slot_stride + offset;
        for_each_element([&](int j, int p, int64_t at) { to[at] = state[j][p]; });
      });
}

}  // namespace

void mamba2_scan(CommandQueue& queue, TensorView out, ConstTensorView x, ConstTensorView b,
                 ConstTensorView c, ConstTensorView dt, TensorView states, const StateBatch& batch,
                 const Mamba2Params& params) {
  check_mamba2_scan(out, x, b, c, dt, states, params);
  check_state_batch(batch);
  CHECK(b.dim(2) <= kMaxStateWidth);
  const ScanTask task{.rows = state_rows_of(batch),
                      .out = rows_of(out),
                      .x = rows_of(x),
                      .b = rows_of(b),
                      .c = rows_of(c),
                      .dt = rows_of(dt),
                      .states = states.as<float>(),
                      .slot_stride = states.row_stride(),
                      .a = params.a.as<float>(),
                      .dt_bias = params.dt_bias.as<float>(),
                      .d = params.d.as<float>(),
                      .heads_per_group = static_cast<int>(out.dim(1) / b.dim(1)),
                      .num_dims = static_cast<int>(out.dim(2)),
                      .state_size = static_cast<int>(b.dim(2)),
                      .dt_min = params.dt_min,
                      .dt_max = params.dt_max};
  const LaunchShape shape{
      .grid = dim3(grid_size(task.num_dims, kWarpColumns * kWarpsPerBlock),
                   static_cast<unsigned>(out.dim(1)), static_cast<unsigned>(batch.in.dim(0))),
      .block = dim3(kWarpSize * kWarpsPerBlock)};
  const auto kernel = task.state_size <= 32    ? mamba2_scan_kernel<1>
                      : task.state_size <= 64  ? mamba2_scan_kernel<2>
                      : task.state_size <= 128 ? mamba2_scan_kernel<4>
                                               : mamba2_scan_kernel<8>;
  launch(queue, "mamba2_scan", kernel, shape, task);
}

}  // namespace quire::cuda
