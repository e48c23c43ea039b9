#pragma once

#include "kernels/cuda/sampling/softmax_weight.h"

/// The candidates of one row, processed by one thread block of kSampleThreads. All of its threads
/// call every function here with the same arguments and get the same results.
///
/// A candidate is a key: its logit's bits so that larger logits are larger numbers, then its id so
/// that of equal logits the lower id is larger. Keys order candidates as the engine's is_preferred
/// does, and no two are equal.
namespace quire::cuda {

/// Keys are ordered as their logits; both zeros have the same key.
__device__ __forceinline__ uint32_t logit_key(float logit) {
  const uint32_t bits = __float_as_uint(__fadd_rn(logit, 0.0f));
  return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}
/// The key of the lowest finite logit. Only -inf is below it, which marks tokens not to be sampled.
constexpr uint32_t kLowestKey = 0x00800000u;

__device__ __forceinline__ uint64_t candidate_key(float logit, int id) {
  return static_cast<uint64_t>(logit_key(logit)) << 32 | ~static_cast<uint32_t>(id);
}
__device__ __forceinline__ int candidate_id(uint64_t key) {
  return static_cast<int>(~static_cast<uint32_t>(key));
}
__device__ __forceinline__ float candidate_logit(uint64_t key) {
  const auto bits = static_cast<uint32_t>(key >> 32);
  return __uint_as_float((bits & 0x80000000u) != 0 ? bits ^ 0x80000000u : ~bits);
}

/// The input of the choice for one row.
struct LogitRow {
  const float* logits;     ///< (V)
  const float* block_max;  ///< (NB)
  int vocab;
  int num_blocks;
  SoftmaxWeight weight;
  float min_p;

  /// 0 for candidates that min_p excludes: adding 0 changes no sum, and they are never sampled.
  __device__ __forceinline__ double kept_weight(uint64_t key) const {
    const float w = weight(candidate_logit(key));
    return w < min_p ? 0.0 : static_cast<double>(w);
  }
};

/// Shared or global memory for `capacity` candidates.
struct CandidateList {
  uint64_t* keys;
  double* weights;
  int capacity;
  double* scratch;  ///< kSummedAtOnce numbers of shared memory, used for nothing else.
};

__device__ inline int block_sum(int x) {
  __shared__ int warps[kSampleThreads / kWarpSize];
  for (int offset = kWarpSize / 2; offset > 0; offset /= 2)
    x += __shfl_xor_sync(kAllLanes, x, offset);
  __syncthreads();
  if (lane_index() == 0) warps[warp_index()] = x;
  __syncthreads();
  int sum = 0;
  for (const int warp : warps) sum += warp;
  return sum;
}

/// A key that at least k of the n logits reach, 0 if n < k. It is the largest such key, determined
/// bit by bit from the highest bit, unless exactly k logits reach a shorter prefix.
__device__ inline uint32_t kth_largest_key(const float* logits, int n, int k) {
  uint32_t key = 0;
  for (uint32_t bit = 0x80000000u; bit != 0; bit >>= 1) {
    int count = 0;
    for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(kSampleThreads)) {
      count += logit_key(logits[i]) >= (key | bit) ? 1 : 0;
    }
    count = block_sum(count);
    if (count >= k) key |= bit;
    if (count == k) break;
  }
  return key;
}

/// visit(id, logit, is_accepted) for the halves of each of the warp's blocks with a logit that
/// reaches `least`, by ascending id; logits past the end are not accepted.
template <typename Accepts, typename Visit>
__device__ __forceinline__ void visit_blocks(const LogitRow& row, uint32_t least,
                                             const Accepts& accepts, const Visit& visit) {
  constexpr int kWarps = static_cast<int>(kSampleThreads) / kWarpSize;
  const int per_warp = (row.num_blocks + kWarps - 1) / kWarps;
  const int begin = warp_index() * per_warp;
  const int end = min(begin + per_warp, row.num_blocks);
  const auto is_accepted = [&](float logit) {
    return logit_key(logit) >= least && logit > -INFINITY && accepts(logit);
  };
  for (int first = begin; first < end; first += kWarpSize) {
    const int mine = first + lane_index();
    unsigned found =
        __ballot_sync(kAllLanes, mine < end && logit_key(row.block_max[mine]) >= least);
    for (; found != 0; found &= found - 1) {
      const int id = (first + __ffs(static_cast<int>(found)) - 1) * kLogitBlock + lane_index();
      const float logit = id < row.vocab ? row.logits[id] : -INFINITY;
      const float other = id + kWarpSize < row.vocab ? row.logits[id + kWarpSize] : -INFINITY;
      visit(id, logit, is_accepted(logit));
      visit(id + kWarpSize, other, is_accepted(other));
    }
  }
}

/// Writes the candidates that reach `least` and are accepted to keys, by ascending id, and returns
/// their number; if it is more than `capacity`, nothing is written.
template <typename Accepts>
__device__ inline int collect(const LogitRow& row, uint32_t least, const Accepts& accepts,
                              uint64_t* keys, int capacity) {
  __shared__ int counts[kSampleThreads / kWarpSize];
  int count = 0;
  visit_blocks(row, least, accepts, [&](int, float, bool accepted) {
    count += __popc(__ballot_sync(kAllLanes, accepted));
  });
  __syncthreads();
  if (lane_index() == 0) counts[warp_index()] = count;
  __syncthreads();
  int total = 0;
  int next = 0;
  for (int warp = 0; warp < static_cast<int>(kSampleThreads) / kWarpSize; ++warp) {
    if (warp == warp_index()) next = total;
    total += counts[warp];
  }
  if (total > capacity) return total;
  visit_blocks(row, least, accepts, [&](int id, float logit, bool accepted) {
    const unsigned found = __ballot_sync(kAllLanes, accepted);
    const unsigned before = found & ((1u << lane_index()) - 1);
    if (accepted) keys[next + __popc(before)] = candidate_key(logit, id);
    next += __popc(found);
  });
  __syncthreads();
  return total;
}

/// Sorts n keys in descending order (K. Batcher's bitonic sort). Every comparison moves the larger
/// key forward, so n need not be a power of two: missing keys count as the smallest and stay at the
/// end.
__device__ inline void sort_keys(uint64_t* keys, int n) {
  for (int size = 2; size < 2 * n; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      for (int i = static_cast<int>(threadIdx.x);; i += static_cast<int>(kSampleThreads)) {
        const int low = 2 * i - (i & (stride - 1));
        if (low >= n) break;
        // The first step merges two ordered halves: the second one is read backwards.
        const int high = stride == size / 2 ? low ^ (size - 1) : low + stride;
        if (high >= n || keys[low] > keys[high]) continue;
        const uint64_t key = keys[low];
        keys[low] = keys[high];
        keys[high] = key;
      }
    }
  }
  __syncthreads();
}

/// x[i] becomes sum + the sum of x[0..i].
__device__ inline void add_up(double* x, int n, double sum) {
  int i = 0;
  for (; i + 8 <= n; i += 8) {
    double values[8];
#pragma unroll
    for (int j = 0; j < 8; ++j) values[j] = x[i + j];
#pragma unroll
    for (int j = 0; j < 8; ++j) x[i + j] = sum = __dadd_rn(sum, values[j]);
  }
  for (; i < n; ++i) x[i] = sum = __dadd_rn(sum, x[i]);
}

/// running[i] = sum + the sum of x[0..i], added in ascending order by one thread, because the order
/// is part of the result, kSummedAtOnce at a time in shared memory. x may be running; neither may
/// overlap with `scratch`, which all threads read while they write the sums. Returns the last sum.
template <typename Number>
__device__ inline double running_sums(const Number* x, double* running, int n, double sum,
                                      double* scratch) {
  const int thread = static_cast<int>(threadIdx.x);
  for (int begin = 0; begin < n; begin += kSummedAtOnce) {
    const int count = min(kSummedAtOnce, n - begin);
    __syncthreads();
    for (int i = thread; i < count; i += static_cast<int>(kSampleThreads)) {
      scratch[i] = static_cast<double>(x[begin + i]);
    }
    __syncthreads();
    if (thread == 0) add_up(scratch, count, sum);
    __syncthreads();
    sum = scratch[count - 1];
    for (int i = thread; i < count; i += static_cast<int>(kSampleThreads)) {
      running[begin + i] = scratch[i];
    }
  }
  __syncthreads();
  return sum;
}

/// The index of the first of n ascending sums that is at least `target` (kPasses: above it), or n.
template <bool kPasses>
__device__ __forceinline__ int find_sum(const double* sums, int n, double target) {
  int low = 0;
  int high = n;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    const bool reached = kPasses ? sums[middle] > target : sums[middle] >= target;
    if (reached) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// Computes the weights of the first n keys; with `filters` those that min_p excludes are 0.
__device__ inline void weigh(const CandidateList& list, int n, const LogitRow& row, bool filters) {
  for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(kSampleThreads)) {
    const uint64_t key = list.keys[i];
    list.weights[i] =
        filters ? row.kept_weight(key) : static_cast<double>(row.weight(candidate_logit(key)));
  }
}

/// The engine's sample_candidate from the first n keys in their order.
__device__ inline int sample_candidate(const CandidateList& list, int n, const LogitRow& row,
                                       double uniform) {
  __syncthreads();
  weigh(list, n, row, true);
  const double total = running_sums(list.weights, list.weights, n, 0.0, list.scratch);
  const double target = __dmul_rn(uniform, total);
  int sampled = find_sum<true>(list.weights, n, target);
  if (sampled == n) {
    // By rounding no sum exceeds the target: take the last candidate that can be sampled.
    do {
      --sampled;
    } while (sampled > 0 && row.kept_weight(list.keys[sampled]) == 0.0);
  }
  return candidate_id(list.keys[sampled]);
}

}  // namespace quire::cuda
