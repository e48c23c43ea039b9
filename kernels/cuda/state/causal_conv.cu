// causal_conv: all rows and channels at once, then, when every old state has been read, the new
// states. An output is a chain of fused multiply-adds over its K inputs.

#include "kernels/cuda/operations.h"
#include "kernels/cuda/rows/row_access.h"
#include "kernels/cuda/state/state_rows.h"
#include "kernels/state_shapes.h"

namespace quire::cuda {
namespace {

constexpr unsigned kThreads = 128;

struct ConvTask {
  StateRowsTask rows;
  Rows out;
  ConstRows x;
  const float* weight;
  const float* bias;  ///< Or null.
  float* states;
  int64_t slot_stride;
  int64_t num_channels;
  int num_inputs;  ///< K
  bool silu;
};

/// The last sequence that begins at or before a row.
__device__ __forceinline__ int64_t sequence_of(const StateRowsTask& rows, int64_t row) {
  int64_t low = 0;
  int64_t high = rows.num_sequences;
  while (high - low > 1) {
    const int64_t middle = (low + high) / 2;
    (rows.query_start[middle] <= row ? low : high) = middle;
  }
  return low;
}

/// grid: (channels / kThreads, rows).
__global__ void __launch_bounds__(kThreads) causal_conv_kernel(ConvTask t) {
  const int64_t c = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (c >= t.num_channels) return;
  const int64_t row = blockIdx.y;
  const int64_t sequence = sequence_of(t.rows, row);
  const int64_t begin = t.rows.query_start[sequence];
  const int32_t in = t.rows.in[sequence];
  const int history = t.num_inputs - 1;
  float sum = t.bias == nullptr ? 0.0f : t.bias[c];
  for (int k = 0; k < t.num_inputs; ++k) {
    const int64_t source = row - history + k;
    float x = 0.0f;
    if (source >= begin) {
      x = t.x.row(source)[c];
    } else if (in >= 0) {
      x = t.states[in * t.slot_stride + (history + source - begin) * t.num_channels + c];
    }
    sum = fmaf(t.weight[c * t.num_inputs + k], x, sum);
  }
  t.out.row(row)[c] = t.silu ? sum / (1.0f + expf(-sum)) : sum;
}

/// grid: (channels / kThreads, sequences). A thread writes the states of its channel, the segments
/// and the inputs in ascending order. The slot that the sequence begins with may be one of those
/// that are written: from then on it holds the inputs before row `held_end`, and what is needed of
/// them has only moved to lower places.
__global__ void __launch_bounds__(kThreads) conv_states_kernel(ConvTask t) {
  const int64_t c = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (c >= t.num_channels) return;
  const int64_t sequence = blockIdx.y;
  const int64_t begin = t.rows.query_start[sequence];
  const int32_t in = t.rows.in[sequence];
  const int history = t.num_inputs - 1;
  int64_t held_end = begin;
  for (int32_t g = t.rows.segment_start[sequence]; g < t.rows.segment_start[sequence + 1]; ++g) {
    const int32_t slot = t.rows.out[g];
    if (slot < 0) continue;
    const int64_t end = t.rows.row_end[g];
    for (int i = 0; i < history; ++i) {
      const int64_t source = end - history + i;
      float x = 0.0f;
      if (source >= begin) {
        x = t.x.row(source)[c];
      } else if (in >= 0) {
        x = t.states[in * t.slot_stride + (history + source - held_end) * t.num_channels + c];
      }
      t.states[slot * t.slot_stride + i * t.num_channels + c] = x;
    }
    if (slot == in) held_end = end;
  }
}

}  // namespace

void causal_conv(CommandQueue& queue, TensorView out, ConstTensorView x, ConstTensorView weight,
                 ConstTensorView bias, TensorView states, const StateBatch& batch, bool silu) {
  check_causal_conv(out, x, weight, bias, states);
  check_state_batch(batch);
  const ConvTask task{.rows = state_rows_of(batch),
                      .out = rows_of(out),
                      .x = rows_of(x),
                      .weight = weight.as<float>(),
                      .bias = bias.empty() ? nullptr : bias.as<float>(),
                      .states = states.as<float>(),
                      .slot_stride = states.row_stride(),
                      .num_channels = out.dim(1),
                      .num_inputs = static_cast<int>(weight.dim(1)),
                      .silu = silu};
  const unsigned blocks = grid_size(task.num_channels, kThreads);
  launch(queue, "causal_conv", causal_conv_kernel,
         {.grid = dim3(blocks, static_cast<unsigned>(out.dim(0))), .block = dim3(kThreads)}, task);
  launch(queue, "causal_conv", conv_states_kernel,
         {.grid = dim3(blocks, static_cast<unsigned>(batch.in.dim(0))), .block = dim3(kThreads)},
         task);
}

}  // namespace quire::cuda
