// One thread block a row: the token. Bound by latency: a few dozen barriers, and for a total the
// chain of additions of the blocks' sums, whose order is part of the result (2,000 for a vocabulary
// of 128,000).

#include "kernels/cuda/sampling/sample_task.h"

#include "kernels/cuda/launch.h"
#include "kernels/cuda/sampling/nucleus.h"
#include "kernels/cuda/sampling/row_max.h"

namespace quire::cuda {
namespace {

/// The lowest id among the largest.
__device__ int argmax(const LogitRow& row, float largest) {
  __shared__ int first_block;
  __shared__ int first_place;
  const int thread = static_cast<int>(threadIdx.x);
  __syncthreads();
  if (thread == 0) {
    first_block = row.num_blocks;
    first_place = kLogitBlock;
  }
  __syncthreads();
  for (int b = thread; b < row.num_blocks; b += static_cast<int>(kSampleThreads)) {
    if (row.block_max[b] == largest) {
      atomicMin(&first_block, b);
      break;
    }
  }
  __syncthreads();
  const int id = first_block * kLogitBlock + thread;
  if (thread < kLogitBlock && id < row.vocab && row.logits[id] == largest) {
    atomicMin(&first_place, thread);
  }
  __syncthreads();
  return first_block * kLogitBlock + first_place;
}

/// The token in which the running sum of all weights passes `target` (find_running_sum).
__device__ int draw_from_all(const LogitRow& row, const float* block_sums, const double* running,
                             double target) {
  __shared__ double weights[kLogitBlock];
  __shared__ int drawn;
  int b = find_sum<true>(running, row.num_blocks - 1, target);
  double sum = b > 0 ? running[b - 1] : 0.0;
  // Rounding may lead past the last one that can be drawn; the sum then stays what it was.
  while (b > 0 && block_sums[b] == 0.0f) --b;
  const int thread = static_cast<int>(threadIdx.x);
  const int begin = b * kLogitBlock;
  const int n = min(kLogitBlock, row.vocab - begin);
  if (thread < n) weights[thread] = static_cast<double>(row.weight(row.logits[begin + thread]));
  __syncthreads();
  if (thread == 0) {
    int last = 0;
    for (int i = 0; i < n; ++i) {
      if (weights[i] == 0.0) continue;
      last = i;
      sum = __dadd_rn(sum, weights[i]);
      if (sum > target) break;
    }
    drawn = begin + last;
  }
  __syncthreads();
  return drawn;
}

/// The k likeliest in order, masked ones left out; their number, or -1 if the list is too short.
__device__ int select_top(const LogitRow& row, int k, const CandidateList& list) {
  const auto any = [](float) { return true; };
  // k blocks' maxima are at least k logits; usually few others are as large.
  uint32_t least = k <= row.num_blocks ? kth_largest_key(row.block_max, row.num_blocks, k) : 0;
  int n = list.capacity + 1;
  if (k <= row.num_blocks || row.vocab <= list.capacity) {
    n = collect(row, least, any, list.keys, list.capacity);
  }
  if (n > list.capacity) {
    least = kth_largest_key(row.logits, row.vocab, k);
    n = collect(row, least, any, list.keys, list.capacity);
  }
  if (n > list.capacity) return -1;
  sort_keys(list.keys, n);
  return min(n, k);
}

__device__ int draw_top_k(const LogitRow& row, const RowParams& params, const CandidateList& list) {
  int n = select_top(row, params.top_k, list);
  if (n < 0) return kUndecided;
  if (params.top_p < 1.0) {
    weigh(list, 0, n, row, false);
    const double target = __dmul_rn(params.top_p, ordered_sum(list.weights, n, 0.0));
    n = keep_nucleus(list, n, row, target, true);
  }
  return draw_candidate(list, n, row, params.uniform);
}

/// Usually a few tokens hold most of the probability; only a flat distribution is looked at whole,
/// and then by the second kernel.
template <bool kIsLarge>
__device__ int draw_top_p(const LogitRow& row, const RowParams& params, const CandidateList& list,
                          double total) {
  const double target = __dmul_rn(params.top_p, total);
  for (int count = 64; count <= 512; count *= 8) {
    int n = select_top(row, count, list);
    if (n < 0) return kUndecided;
    weigh(list, 0, n, row, false);
    if (ordered_sum(list.weights, n, 0.0) < target) continue;
    n = keep_nucleus(list, n, row, target, true);
    return draw_candidate(list, n, row, params.uniform);
  }
  if constexpr (kIsLarge) {
    const int n = select_nucleus(list, row, target);
    return draw_candidate(list, n, row, params.uniform);
  } else {
    return kUndecided;
  }
}

__device__ int draw_min_p(const LogitRow& row, const RowParams& params, const CandidateList& list) {
  const float largest = row.weight.max;
  // A logit that no token of weight >= min_p is below, rounding included.
  const float slack = __fadd_rn(__fmul_rn(1e-6f, fabsf(largest)), params.min_p_slack);
  const float threshold = __fsub_rn(__fadd_rn(largest, params.min_p_reach), slack);
  const auto any = [](float) { return true; };
  const int n = collect(row, logit_key(threshold), any, list.keys, list.capacity);
  return n > list.capacity ? kUndecided : draw_candidate(list, n, row, params.uniform);
}

template <bool kIsLarge>
__device__ int choose(const SampleTask& task, int r, const CandidateList& list) {
  const float largest = row_max(task, r);
  if (!is_sound(largest)) return kUnsound;
  const RowParams& params = task.rows[r];
  const int64_t first_block = int64_t{r} * task.num_blocks;
  const LogitRow row{.logits = task.logits + r * task.logits_stride,
                     .block_max = task.block_max + first_block,
                     .vocab = task.vocab,
                     .num_blocks = task.num_blocks,
                     .weight = {largest, params.inverse_temperature},
                     .min_p = params.min_p};
  const float* const block_sums = task.block_sums + first_block;
  double* const running = task.running_sums + first_block;
  switch (params.draw) {
    case Draw::kGreedy:
      return argmax(row, largest);
    case Draw::kFromAll: {
      const double total = running_sums(block_sums, running, row.num_blocks, 0.0, list.scratch);
      return draw_from_all(row, block_sums, running, __dmul_rn(params.uniform, total));
    }
    case Draw::kTopK:
      return draw_top_k(row, params, list);
    case Draw::kTopP: {
      const double total = running_sums(block_sums, running, row.num_blocks, 0.0, list.scratch);
      return draw_top_p<kIsLarge>(row, params, list, total);
    }
    case Draw::kMinP:
      return draw_min_p(row, params, list);
  }
  return kUnsound;
}

__global__ void __launch_bounds__(kSampleThreads, 1) choose_kernel(SampleTask task) {
  __shared__ uint64_t keys[kSharedCandidates];
  __shared__ double weights[kSharedCandidates];
  const int r = static_cast<int>(blockIdx.x);
  const CandidateList list{keys, weights, kSharedCandidates - kListMargin, weights};
  const int token = choose<false>(task, r, list);
  if (threadIdx.x == 0) task.token_ids[r] = token;
}

/// The rows that the first kernel left, each by one of few thread blocks.
__global__ void __launch_bounds__(kSampleThreads, 1) choose_large_kernel(SampleTask task) {
  __shared__ double scratch[kSharedCandidates];
  const int64_t first = int64_t{blockIdx.x} * task.capacity;
  const CandidateList list{task.keys + first, task.weights + first, task.capacity - kListMargin,
                           scratch};
  for (int r = static_cast<int>(blockIdx.x); r < task.num_rows; r += static_cast<int>(gridDim.x)) {
    if (task.token_ids[r] != kUndecided) continue;
    const int token = choose<true>(task, r, list);
    __syncthreads();
    if (threadIdx.x == 0) task.token_ids[r] = token;
  }
}

}  // namespace

void submit_choice(CommandQueue& queue, const SampleTask& task) {
  launch(queue, "sample (choice)", choose_kernel,
         {.grid = dim3(static_cast<unsigned>(task.num_rows)), .block = dim3(kSampleThreads)}, task);
}

void submit_large_choice(CommandQueue& queue, const SampleTask& task, int32_t num_lists) {
  launch(queue, "sample (large choice)", choose_large_kernel,
         {.grid = dim3(static_cast<unsigned>(num_lists)), .block = dim3(kSampleThreads)}, task);
}

}  // namespace quire::cuda
