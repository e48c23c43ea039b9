// One thread block chooses the token of each row. Bound by latency: a few dozen barriers, and for
// the total the sequential additions of the blocks' sums, whose order is part of the result (2,000
// for a vocabulary of 128,000).

#include "kernels/cuda/launch.h"
#include "kernels/cuda/sampling/candidates.h"

namespace quire::cuda {
namespace {

/// The lowest id of the largest logit.
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
__device__ int sample_from_all(const LogitRow& row, const float* block_sums, const double* running,
                               double target) {
  __shared__ double weights[kLogitBlock];
  __shared__ int sampled;
  int b = find_sum<true>(running, row.num_blocks - 1, target);
  double sum = b > 0 ? running[b - 1] : 0.0;
  // Rounding may lead past the last block with weights; empty blocks do not change the sum.
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
    sampled = begin + last;
  }
  __syncthreads();
  return sampled;
}

/// Lists the k likeliest tokens in order, without masked ones; returns their number, or -1 if the
/// list is too short.
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

/// Writes the running sums of the first n keys' weights; returns the last one.
__device__ double add_weights(const CandidateList& list, int n, const LogitRow& row) {
  weigh(list, n, row, false);
  return running_sums(list.weights, list.weights, n, 0.0, list.scratch);
}

/// The engine's keep_nucleus, after add_weights(): the number of keys, of n in order, whose weights
/// sum to `target`.
__device__ int count_until(const CandidateList& list, int n, double target) {
  return min(find_sum<false>(list.weights, n, target) + 1, n);
}

/// Weights below exp(-87) are zero; a bucket is 1/32 of a factor e wide.
constexpr int kNucleusBuckets = 87 * 32 + 1;

/// NucleusHistogram::select of the engine for the whole row; returns the number of keys that are
/// kept.
///
/// The weights of a bucket are within a factor of four, so their sum in double is exact (fewer than
/// 2^28 of 25 bits) for any order of the additions.
__device__ int select_nucleus(const CandidateList& list, const LogitRow& row, double target) {
  __shared__ double sums[kNucleusBuckets];
  __shared__ double sum_before;
  __shared__ int shared_last;
  const auto bucket_of = [&row](float logit) {
    return static_cast<int>(__fmul_rn(-row.weight.exponent(logit), 32.0f));
  };
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < kNucleusBuckets; i += static_cast<int>(kSampleThreads)) sums[i] = 0.0;
  __syncthreads();
  for (int i = thread; i < row.vocab; i += static_cast<int>(kSampleThreads)) {
    const float logit = row.logits[i];
    const float w = row.weight(logit);
    if (w > 0.0f) atomicAdd(&sums[bucket_of(logit)], static_cast<double>(w));
  }
  __syncthreads();
  if (thread == 0) {
    int last = 0;
    double before = 0.0;
    while (last + 1 < kNucleusBuckets && __dadd_rn(before, sums[last]) < target) {
      before = __dadd_rn(before, sums[last++]);
    }
    shared_last = last;
    sum_before = before;
  }
  __syncthreads();
  const int last_bucket = shared_last;
  const double before = sum_before;

  const auto has_weight = [&row](float logit) { return row.weight(logit) > 0.0f; };
  const auto is_inside = [&](float x) { return has_weight(x) && bucket_of(x) < last_bucket; };
  const auto is_last = [&](float x) { return has_weight(x) && bucket_of(x) == last_bucket; };
  const int inside = collect(row, 0, is_inside, list.keys, list.capacity);
  const int last = collect(row, 0, is_last, list.keys + inside, list.capacity - inside);
  if (last == 0) return inside;
  const CandidateList rest = {list.keys + inside, list.weights + inside, last, list.scratch};
  sort_keys(rest.keys, last);
  add_weights(rest, last, row);
  return inside + count_until(rest, last, __dsub_rn(target, before));
}

__device__ int sample_top_k(const LogitRow& row, const RowParams& params,
                            const CandidateList& list) {
  int n = select_top(row, params.top_k, list);
  if (n < 0) return kUndecided;
  if (params.top_p < 1.0) {
    const double total = add_weights(list, n, row);
    n = count_until(list, n, __dmul_rn(params.top_p, total));
  }
  return sample_candidate(list, n, row, params.uniform);
}

/// Usually a few tokens have most of the probability. Flat distributions are sampled by the second
/// kernel, which considers the whole row.
template <bool kIsLarge>
__device__ int sample_top_p(const LogitRow& row, const RowParams& params, const CandidateList& list,
                            double total) {
  const double target = __dmul_rn(params.top_p, total);
  for (int count = 64; count <= 512; count *= 8) {
    const int n = select_top(row, count, list);
    if (n < 0) return kUndecided;
    if (add_weights(list, n, row) < target) continue;
    return sample_candidate(list, count_until(list, n, target), row, params.uniform);
  }
  if constexpr (kIsLarge) {
    const int n = select_nucleus(list, row, target);
    return sample_candidate(list, n, row, params.uniform);
  } else {
    return kUndecided;
  }
}

__device__ int sample_min_p(const LogitRow& row, const RowParams& params,
                            const CandidateList& list) {
  const float largest = row.weight.max;
  // No token with a weight of at least min_p has a logit below the threshold, despite rounding.
  const float slack = __fadd_rn(__fmul_rn(1e-6f, fabsf(largest)), params.min_p_slack);
  const float threshold = __fsub_rn(__fadd_rn(largest, params.min_p_reach), slack);
  const auto any = [](float) { return true; };
  const int n = collect(row, logit_key(threshold), any, list.keys, list.capacity);
  return n > list.capacity ? kUndecided : sample_candidate(list, n, row, params.uniform);
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
  switch (params.kind) {
    case SampleKind::kGreedy:
      return argmax(row, largest);
    case SampleKind::kFromAll: {
      const double total = running_sums(block_sums, running, row.num_blocks, 0.0, list.scratch);
      return sample_from_all(row, block_sums, running, __dmul_rn(params.uniform, total));
    }
    case SampleKind::kTopK:
      return sample_top_k(row, params, list);
    case SampleKind::kTopP: {
      const double total = running_sums(block_sums, running, row.num_blocks, 0.0, list.scratch);
      return sample_top_p<kIsLarge>(row, params, list, total);
    }
    case SampleKind::kMinP:
      return sample_min_p(row, params, list);
  }
  return kUnsound;
}

__global__ void __launch_bounds__(kSampleThreads, 1) choose_kernel(SampleTask task) {
  __shared__ uint64_t keys[kSharedCandidates];
  __shared__ double weights[kSharedCandidates];
  __shared__ double scratch[kSummedAtOnce];
  const int r = static_cast<int>(blockIdx.x);
  const CandidateList list{keys, weights, kSharedCandidates, scratch};
  const int token = choose<false>(task, r, list);
  if (threadIdx.x == 0) task.token_ids[r] = token;
}

/// Chooses the tokens of rows that the first kernel left undecided. Thread blocks, fewer than rows,
/// process them in turn.
__global__ void __launch_bounds__(kSampleThreads, 1) choose_large_kernel(SampleTask task) {
  __shared__ double scratch[kSummedAtOnce];
  const int64_t first = int64_t{blockIdx.x} * task.vocab;
  const CandidateList list{task.keys + first, task.weights + first, task.vocab, scratch};
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
