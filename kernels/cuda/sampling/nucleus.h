#pragma once

#include "kernels/cuda/sampling/candidates.h"
#include "kernels/cuda/sampling/select_nth.h"

/// The engine's nucleus.h for one thread block: the same sets in the same order.
namespace quire::cuda {

/// Adds weights in ascending order to `sum`, by one thread, for all.
__device__ inline double ordered_sum(const double* weights, int n, double sum) {
  __shared__ double result;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 0; i < n; ++i) sum = __dadd_rn(sum, weights[i]);
    result = sum;
  }
  __syncthreads();
  return result;
}

/// How many of n keys in order it takes until their weights, added to `kept`, reach `target`.
__device__ inline int count_until(const CandidateList& list, int n, const LogitRow& row,
                                  double kept, double target) {
  __syncthreads();
  weigh(list, 0, n, row, false);
  running_sums(list.weights, list.weights, n, kept, list.scratch);
  const int reached = find_sum<false>(list.weights, n, target);
  return reached < n ? reached + 1 : n;
}

/// keep_nucleus: how many of the n keys stay, n >= 1; they are brought to the front, in the
/// engine's order. is_sorted: whether they are in order already.
__device__ inline int keep_nucleus(const CandidateList& list, int n, const LogitRow& row,
                                   double target, bool is_sorted) {
  constexpr int kSortable = 256;
  int begin = 0;
  int end = n;
  double kept = 0.0;
  while (end - begin > kSortable) {
    const int half = (end - begin) / 2;
    __syncthreads();
    if (threadIdx.x == 0) select_nth(list.keys + begin, half, end - begin);
    __syncthreads();
    weigh(list, begin, begin + half, row, false);
    const double first_half = ordered_sum(list.weights + begin, half, 0.0);
    if (__dadd_rn(kept, first_half) >= target) {
      end = begin + half;
    } else {
      kept = __dadd_rn(kept, first_half);
      begin += half;
    }
  }
  if (!is_sorted || n > kSortable) sort_keys(list.keys + begin, end - begin);
  const CandidateList rest = list.after(begin);
  return begin + count_until(rest, end - begin, row, kept, target);
}

/// Weights below exp(-87) are zero; a bucket is 1/32 of a factor e wide.
constexpr int kNucleusBuckets = 87 * 32 + 1;

/// select_nucleus, of the whole row: how many keys stay.
///
/// A bucket's weights lie within two powers of two, so that their sum in double is exact (fewer
/// than 2^28 of 25 bits), whatever the order of the additions.
__device__ inline int select_nucleus(const CandidateList& list, const LogitRow& row,
                                     double target) {
  __shared__ double sums[kNucleusBuckets];
  __shared__ double sum_before;
  __shared__ int shared_edge;
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
    shared_edge = last;
    sum_before = before;
  }
  __syncthreads();
  const int edge = shared_edge;
  const double before = sum_before;

  const auto has_weight = [&row](float logit) { return row.weight(logit) > 0.0f; };
  const auto is_inside = [&](float x) { return has_weight(x) && bucket_of(x) < edge; };
  const auto is_at_edge = [&](float x) { return has_weight(x) && bucket_of(x) == edge; };
  const int inside = collect(row, 0, is_inside, list.keys, list.capacity);
  const int at_edge = collect(row, 0, is_at_edge, list.keys + inside, list.capacity - inside);
  if (at_edge == 0) return inside;
  const CandidateList rest = list.after(inside);
  return inside + keep_nucleus(rest, at_edge, row, __dsub_rn(target, before), false);
}

}  // namespace quire::cuda
