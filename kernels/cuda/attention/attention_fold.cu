#include "kernels/cuda/attention/attention_kernels.h"
#include "kernels/cuda/attention/attention_state.h"

namespace quire::cuda {
namespace {

constexpr int kDimsOfLane = 8;

/// A warp for each head of a row: its splits' states become one in ascending order, as within a
/// tile, and then its output. Bound by reading the states, which are mostly in the L2 cache.
template <bool kExact>
__global__ void __launch_bounds__(kFoldThreads) attention_fold(AttentionArguments args) {
  const DevicePlan& plan = *args.plan;
  const int num_items = plan.num_folds * args.num_heads;
  const int num_warps = static_cast<int>(gridDim.x) * (kFoldThreads / kWarpSize);
  const int first = static_cast<int>(blockIdx.x) * (kFoldThreads / kWarpSize) + warp_index();
  for (int item = first; item < num_items; item += num_warps) {
    const PlannedFold fold = plan.folds[item / args.num_heads];
    const int head = item % args.num_heads;
    float2 folded = initial_weights(args.sinks, head);
    float sums[kDimsOfLane];
#pragma unroll
    for (int j = 0; j < kDimsOfLane; ++j) sums[j] = 0.0f;
#pragma unroll 4
    for (int i = 0; i < fold.num_states; ++i) {
      const int64_t at = (int64_t{fold.first_state} + i) * args.num_heads + head;
      const float2 weights = plan.state_weights[at];
      const Fold step = fold_states<kExact>(folded.x, weights.x);
      folded = make_float2(step.m, fold_value(step, folded.y, weights.y));
      const float* const values = plan.states + at * args.state_stride + lane_index();
#pragma unroll
      for (int j = 0; j < kDimsOfLane; ++j) {
        if (lane_index() + kWarpSize * j < args.head_dim)
          sums[j] = fold_value(step, sums[j], values[kWarpSize * j]);
      }
    }
    const float factor = inverse_weight(folded.y);
    float* const out = args.out + (int64_t{fold.row} * args.num_heads + head) * args.head_dim;
#pragma unroll
    for (int j = 0; j < kDimsOfLane; ++j) {
      const int d = lane_index() + kWarpSize * j;
      if (d < args.head_dim) out[d] = normalised(sums[j], factor);
    }
  }
}

}  // namespace

AttentionKernel fold_kernel(bool is_exact) {
  return is_exact ? attention_fold<true> : attention_fold<false>;
}

}  // namespace quire::cuda
