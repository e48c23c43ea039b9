// gated_delta: a warp has kWarpColumns value dimensions of one head of one sequence, the whole of
// their state in registers; lane l has the key dimensions l, l + 32, .... It goes through the
// sequence's rows in ascending order without a barrier: a row costs two sums over the lanes.
//
// The order of a sum depends on Dk alone: a chain of fused multiply-adds in each lane, then
// reduce_columns. Nothing depends on the number of rows, on segments or on other sequences.

#include "kernels/cuda/operations.h"
#include "kernels/cuda/rows/row_access.h"
#include "kernels/cuda/state/state_rows.h"
#include "kernels/state_shapes.h"

namespace quire::cuda {
namespace {

struct GatedDeltaTask {
  StateRowsTask rows;
  Rows out;
  ConstRows q;
  ConstRows k;
  ConstRows v;
  ConstRows alpha;
  ConstRows beta;
  float* states;
  int64_t slot_stride;
  const float* a;
  const float* dt_bias;
  int num_heads;
  int num_key_heads;
  int key_dim;
  int value_dim;
  float eps;
  float query_scale;
  bool tiled_heads;
};

/// What a lane reads of one row.
template <int kKeys>
struct DeltaRow {
  float q[kKeys];
  float k[kKeys];
  float v;  ///< Of column lane / 4.
  float alpha;
  float beta;
};

template <int kKeys>
__device__ __forceinline__ DeltaRow<kKeys> read_row(const GatedDeltaTask& t, int64_t row, int head,
                                                    int key_head, int column) {
  DeltaRow<kKeys> r;
  const float* const q = t.q.row(row) + key_head * t.key_dim;
  const float* const k = t.k.row(row) + key_head * t.key_dim;
#pragma unroll
  for (int j = 0; j < kKeys; ++j) {
    const int i = lane_index() + j * kWarpSize;
    r.q[j] = i < t.key_dim ? q[i] : 0.0f;
    r.k[j] = i < t.key_dim ? k[i] : 0.0f;
  }
  const int own = column + lane_index() / 4;
  r.v = own < t.value_dim ? t.v.row(row)[head * t.value_dim + own] : 0.0f;
  r.alpha = t.alpha.row(row)[head];
  r.beta = t.beta.row(row)[head];
  return r;
}

/// x / sqrt(sum x^2 + eps) * factor.
template <int kKeys>
__device__ __forceinline__ void normalize(float (&x)[kKeys], float eps, float factor) {
  float squares = 0.0f;
#pragma unroll
  for (int j = 0; j < kKeys; ++j) squares = fmaf(x[j], x[j], squares);
  const float scale = factor / sqrtf(warp_sum(squares) + eps);
#pragma unroll
  for (int j = 0; j < kKeys; ++j) x[j] *= scale;
}

/// S: (keys of the lane, columns). Returns the output of column lane / 4.
template <int kKeys>
__device__ __forceinline__ float delta_row(float (&state)[kKeys][kWarpColumns],
                                           const DeltaRow<kKeys>& r, float decay, float beta) {
  float sums[kWarpColumns] = {};
#pragma unroll
  for (int j = 0; j < kKeys; ++j) {
#pragma unroll
    for (int c = 0; c < kWarpColumns; ++c) {
      state[j][c] *= decay;
      sums[c] = fmaf(state[j][c], r.k[j], sums[c]);
    }
  }
  const float own = beta * (r.v - reduce_columns(sums));
#pragma unroll
  for (int c = 0; c < kWarpColumns; ++c) {
    const float delta = __shfl_sync(kAllLanes, own, 4 * c);
    sums[c] = 0.0f;
#pragma unroll
    for (int j = 0; j < kKeys; ++j) {
      state[j][c] = fmaf(r.k[j], delta, state[j][c]);
      sums[c] = fmaf(state[j][c], r.q[j], sums[c]);
    }
  }
  return reduce_columns(sums);
}

/// grid: (columns / (8 * kWarpsPerBlock), heads, sequences).
template <int kKeys>
__global__ void __launch_bounds__(kWarpSize* kWarpsPerBlock) gated_delta_kernel(GatedDeltaTask t) {
  const int column = (static_cast<int>(blockIdx.x) * kWarpsPerBlock + warp_index()) * kWarpColumns;
  if (column >= t.value_dim) return;
  const int head = static_cast<int>(blockIdx.y);
  const int64_t sequence = blockIdx.z;
  const int key_head =
      t.tiled_heads ? head % t.num_key_heads : head / (t.num_heads / t.num_key_heads);
  const int64_t offset = int64_t{head} * t.key_dim * t.value_dim + column;
  const auto for_each_element = [&](auto fn) {
#pragma unroll
    for (int j = 0; j < kKeys; ++j) {
      const int i = lane_index() + j * kWarpSize;
#pragma unroll
      for (int c = 0; c < kWarpColumns; ++c) {
        if (i < t.key_dim && column + c < t.value_dim) fn(j, c, int64_t{i} * t.value_dim + c);
      }
    }
  };
  float state[kKeys][kWarpColumns] = {};
  const int32_t in = t.rows.in[sequence];
  if (in >= 0) {
    const float* const from = t.states + in * t.slot_stride + offset;
    for_each_element([&](int j, int c, int64_t at) { state[j][c] = from[at]; });
  }

  const float a = t.a[head];
  const float dt_bias = t.dt_bias[head];
  const int64_t last = t.rows.query_start[sequence + 1] - 1;
  DeltaRow<kKeys> next = read_row<kKeys>(t, t.rows.query_start[sequence], head, key_head, column);
  const int own = column + lane_index() / 4;
  for_each_state_row(
      t.rows, sequence,
      [&](int32_t row) {
        DeltaRow<kKeys> r = next;
        // The next row's memory is read while this one is computed.
        if (row < last) next = read_row<kKeys>(t, row + 1, head, key_head, column);
        normalize(r.q, t.eps, t.query_scale);
        normalize(r.k, t.eps, 1.0f);
        const float decay = expf(a * softplus(r.alpha + dt_bias));
        const float beta = 1.0f / (1.0f + expf(-r.beta));
        const float out = delta_row(state, r, decay, beta);
        if (lane_index() % 4 == 0 && own < t.value_dim) {
          t.out.row(row)[head * t.value_dim + own] = out;
        }
      },
      [&](int32_t slot) {
        float* const to = t.states + slot * t.slot_stride + offset;
        for_each_element([&](int j, int c, int64_t at) { to[at] = state[j][c]; });
      });
}

}  // namespace

void gated_delta(CommandQueue& queue, TensorView out, ConstTensorView q, ConstTensorView k,
                 ConstTensorView v, ConstTensorView alpha, ConstTensorView beta, TensorView states,
                 const StateBatch& batch, const GatedDeltaParams& params) {
  check_gated_delta(out, q, k, v, alpha, beta, states, params);
  check_state_batch(batch);
  CHECK(q.dim(2) <= kMaxStateWidth);
  const GatedDeltaTask task{.rows = state_rows_of(batch),
                            .out = rows_of(out),
                            .q = rows_of(q),
                            .k = rows_of(k),
                            .v = rows_of(v),
                            .alpha = rows_of(alpha),
                            .beta = rows_of(beta),
                            .states = states.as<float>(),
                            .slot_stride = states.row_stride(),
                            .a = params.a.as<float>(),
                            .dt_bias = params.dt_bias.as<float>(),
                            .num_heads = static_cast<int>(out.dim(1)),
                            .num_key_heads = static_cast<int>(q.dim(1)),
                            .key_dim = static_cast<int>(q.dim(2)),
                            .value_dim = static_cast<int>(out.dim(2)),
                            .eps = params.eps,
                            .query_scale = 1.0f / sqrtf(static_cast<float>(q.dim(2))),
                            .tiled_heads = params.tiled_heads};
  const LaunchShape shape{
      .grid = dim3(grid_size(task.value_dim, kWarpColumns * kWarpsPerBlock),
                   static_cast<unsigned>(task.num_heads), static_cast<unsigned>(batch.in.dim(0))),
      .block = dim3(kWarpSize * kWarpsPerBlock)};
  const auto kernel = task.key_dim <= 32    ? gated_delta_kernel<1>
                      : task.key_dim <= 64  ? gated_delta_kernel<2>
                      : task.key_dim <= 128 ? gated_delta_kernel<4>
                                            : gated_delta_kernel<8>;
  launch(queue, "gated_delta", kernel, shape, task);
}

}  // namespace quire::cuda
