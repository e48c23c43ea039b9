// The operations on all logits: penalties, biases, masks, maxima of blocks, sums of blocks'
// weights. Bound by memory: the logits are read once for the maxima and once more, mostly from the
// L2 cache, for the sums.

#include "kernels/cuda/launch.h"
#include "kernels/cuda/sampling/softmax_weight.h"

namespace quire::cuda {
namespace {

constexpr int kWarps = static_cast<int>(kSampleThreads) / kWarpSize;
/// Half a warp processes a block of 64.
constexpr int kHalfWarp = kWarpSize / 2;
constexpr int kBlocksOfTile = kTile / kLogitBlock;
constexpr int kSteps = kBlocksOfTile / (2 * kWarps);

/// One thread for each seen token of a row; a row has each only once.
__global__ void penalties_kernel(SampleTask task) {
  const RowParams& params = task.rows[blockIdx.y];
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= params.num_seen) return;
  const int id = task.seen_ids[params.first_seen + i];
  if (id < 0 || id >= task.vocab) return;
  float* const place = task.logits + blockIdx.y * task.logits_stride + id;
  float logit = *place;
  logit = logit > 0.0f ? __fdiv_rn(logit, params.repetition_penalty)
                       : __fmul_rn(logit, params.repetition_penalty);
  const int count = task.output_counts[params.first_seen + i];
  if (count != 0) {
    logit = __fsub_rn(logit, __fmul_rn(params.frequency_penalty, static_cast<float>(count)));
    logit = __fsub_rn(logit, params.presence_penalty);
  }
  *place = logit;
}

/// One thread for each bias of a row.
__global__ void biases_kernel(SampleTask task) {
  const RowParams& params = task.rows[blockIdx.y];
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= params.num_biases) return;
  const int id = task.bias_ids[params.first_bias + i];
  if (id < 0 || id >= task.vocab) return;
  float* const place = task.logits + blockIdx.y * task.logits_stride + id;
  *place = __fadd_rn(*place, task.biases[params.first_bias + i]);
}

/// One thread for each logit of a row; a warp reads one word of the mask. Unsound logits stay, so
/// that the row is recognised as unsound.
__global__ void masks_kernel(SampleTask task) {
  const int first_word = task.rows[blockIdx.y].first_allowed_word;
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (first_word < 0 || i >= task.vocab) return;
  const uint32_t word = task.allowed_words[first_word + i / kWarpSize];
  if ((word >> (i % kWarpSize) & 1u) != 0) return;
  float* const place = task.logits + blockIdx.y * task.logits_stride + i;
  if (*place < INFINITY) *place = -INFINITY;
}

/// +inf instead of NaN and +inf, which are unsound.
__device__ __forceinline__ float sound_or_infinite(float x) {
  return x < INFINITY ? x : INFINITY;
}

/// The largest of the four logits from `first` on; -inf past the end.
template <bool kAligned>
__device__ __forceinline__ float max_of_four(const float* logits, int first, int vocab) {
  if constexpr (kAligned) {
    if (first >= vocab) return -INFINITY;
    const float4 x = *reinterpret_cast<const float4*>(logits + first);
    return fmaxf(fmaxf(sound_or_infinite(x.x), sound_or_infinite(x.y)),
                 fmaxf(sound_or_infinite(x.z), sound_or_infinite(x.w)));
  } else {
    float largest = -INFINITY;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (first + i < vocab) largest = fmaxf(largest, sound_or_infinite(logits[first + i]));
    }
    return largest;
  }
}

/// Grid: (tiles, rows). All loads of a thread are issued before the first result is used.
template <bool kAligned>
__global__ void __launch_bounds__(kSampleThreads) maxima_kernel(SampleTask task) {
  __shared__ float warp_maxima[kWarps];
  const float* const logits = task.logits + blockIdx.y * task.logits_stride;
  float* const block_max = task.block_max + int64_t{blockIdx.y} * task.num_blocks;
  const int lane = lane_index();
  const int first_block =
      static_cast<int>(blockIdx.x) * kBlocksOfTile + 2 * warp_index() + lane / kHalfWarp;
  float largest[kSteps];
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    const int block = first_block + step * 2 * kWarps;
    largest[step] =
        max_of_four<kAligned>(logits, block * kLogitBlock + 4 * (lane % kHalfWarp), task.vocab);
  }
  float all = -INFINITY;
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    for (int offset = kHalfWarp / 2; offset > 0; offset /= 2) {
      largest[step] = fmaxf(largest[step], __shfl_xor_sync(kAllLanes, largest[step], offset));
    }
    const int block = first_block + step * 2 * kWarps;
    if (lane % kHalfWarp == 0 && block < task.num_blocks) block_max[block] = largest[step];
    all = fmaxf(all, largest[step]);
  }
  all = warp_max(all);
  if (lane == 0) warp_maxima[warp_index()] = all;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int warp = 1; warp < kWarps; ++warp) all = fmaxf(all, warp_maxima[warp]);
  task.tile_max[int64_t{blockIdx.y} * task.num_tiles + blockIdx.x] = all;
}

/// Grid: (tiles, rows). A block's sum has the engine's order: sixteen sums of weights that are 16
/// apart, then the sum of these in ascending order.
__global__ void __launch_bounds__(kSampleThreads) block_sums_kernel(SampleTask task) {
  // Padded with one column, so that the threads that read its rows have no bank conflicts.
  __shared__ float lane_sums[kBlocksOfTile][kHalfWarp + 1];
  const RowParams& params = task.rows[blockIdx.y];
  if (params.kind != SampleKind::kFromAll && params.kind != SampleKind::kTopP) return;
  const float max = row_max(task, static_cast<int>(blockIdx.y));
  const SoftmaxWeight weight{max, params.inverse_temperature};
  const float* const logits = task.logits + blockIdx.y * task.logits_stride;
  const int first_block = static_cast<int>(blockIdx.x) * kBlocksOfTile;
  const int lane = lane_index() % kHalfWarp;
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    const int block = step * 2 * kWarps + 2 * warp_index() + lane_index() / kHalfWarp;
    const int begin = (first_block + block) * kLogitBlock + lane;
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < kLogitBlock; i += kHalfWarp) {
      // Past the end the weight is 0, as in the engine.
      const float logit = begin + i < task.vocab ? logits[begin + i] : -INFINITY;
      sum = __fadd_rn(sum, weight(logit));
    }
    lane_sums[block][lane] = sum;
  }
  __syncthreads();
  const int block = static_cast<int>(threadIdx.x);
  if (block >= kBlocksOfTile || first_block + block >= task.num_blocks) return;
  float sum = 0.0f;
  for (int i = 0; i < kHalfWarp; ++i) sum = __fadd_rn(sum, lane_sums[block][i]);
  task.block_sums[int64_t{blockIdx.y} * task.num_blocks + first_block + block] = sum;
}

LaunchShape shape_of_tiles(const SampleTask& task) {
  return {.grid = dim3(static_cast<unsigned>(task.num_tiles), static_cast<unsigned>(task.num_rows)),
          .block = dim3(kSampleThreads)};
}

}  // namespace

void submit_penalties(CommandQueue& queue, const SampleTask& task, int32_t max_seen) {
  constexpr unsigned kThreads = 128;
  launch(queue, "sample (penalties)", penalties_kernel,
         {.grid = dim3(grid_size(max_seen, kThreads), static_cast<unsigned>(task.num_rows)),
          .block = dim3(kThreads)},
         task);
}

void submit_biases(CommandQueue& queue, const SampleTask& task, int32_t max_biases) {
  constexpr unsigned kThreads = 128;
  launch(queue, "sample (biases)", biases_kernel,
         {.grid = dim3(grid_size(max_biases, kThreads), static_cast<unsigned>(task.num_rows)),
          .block = dim3(kThreads)},
         task);
}

void submit_masks(CommandQueue& queue, const SampleTask& task) {
  static_assert(kWarpSize == 32);  // A word's bits.
  launch(queue, "sample (masks)", masks_kernel,
         {.grid = dim3(grid_size(task.vocab, kSampleThreads), static_cast<unsigned>(task.num_rows)),
          .block = dim3(kSampleThreads)},
         task);
}

void submit_maxima(CommandQueue& queue, const SampleTask& task) {
  const bool aligned = reinterpret_cast<uintptr_t>(task.logits) % 16 == 0 &&
                       task.logits_stride % 4 == 0 && task.vocab % 4 == 0;
  launch(queue, "sample (maxima)", aligned ? maxima_kernel<true> : maxima_kernel<false>,
         shape_of_tiles(task), task);
}

void submit_block_sums(CommandQueue& queue, const SampleTask& task) {
  launch(queue, "sample (sums)", block_sums_kernel, shape_of_tiles(task), task);
}

}  // namespace quire::cuda
