#pragma once

#include "kernels/cuda/device/portable.h"

/// std::nth_element as libstdc++ has it, element for element: the engine's keep_nucleus draws in
/// the order in which it leaves candidates, so that the order is part of what a token is. It is
/// introselect (D. Musser, 1997): quickselect with the median of three as the pivot and Hoare's
/// partition, and a heap when the pivots are bad. Larger keys come first; no two are equal.
namespace quire::cuda {

__device__ __forceinline__ void swap_keys(uint64_t* keys, int a, int b) {
  const uint64_t key = keys[a];
  keys[a] = keys[b];
  keys[b] = key;
}

/// Swaps the median of the second, the middle and the last with the first, then splits the rest
/// [1, n) by it. Returns where the second part begins.
__device__ inline int split_by_median(uint64_t* keys, int n) {
  const uint64_t second = keys[1];
  const uint64_t middle = keys[n / 2];
  const uint64_t last = keys[n - 1];
  const bool ascends = second > middle;
  const bool middle_first = middle > last;
  const bool second_first = second > last;
  const int median = ascends == middle_first ? n / 2 : ascends == second_first ? n - 1 : 1;
  swap_keys(keys, 0, median);
  const uint64_t pivot = keys[0];
  int left = 1;
  int right = n;
  for (;;) {
    while (keys[left] > pivot) ++left;
    --right;
    while (pivot > keys[right]) --right;
    if (left >= right) return left;
    swap_keys(keys, left, right);
    ++left;
  }
}

/// Brings `value` into the heap of n keys, the last in order at its top, from the hole at `top`:
/// down to a leaf along the later children, then up to its place.
__device__ inline void sift(uint64_t* keys, int top, int n, uint64_t value) {
  int hole = top;
  while (2 * hole + 2 < n) {
    const int right = 2 * hole + 2;
    const int child = keys[right] > keys[right - 1] ? right - 1 : right;
    keys[hole] = keys[child];
    hole = child;
  }
  if (2 * hole + 2 == n) {
    keys[hole] = keys[2 * hole + 1];
    hole = 2 * hole + 1;
  }
  while (hole > top && keys[(hole - 1) / 2] > value) {
    keys[hole] = keys[(hole - 1) / 2];
    hole = (hole - 1) / 2;
  }
  keys[hole] = value;
}

/// The first nth + 1 in order become a heap, whose top is then swapped into the nth place.
__device__ inline void select_by_heap(uint64_t* keys, int nth, int n) {
  const int size = nth + 1;
  for (int parent = size / 2 - 1; parent >= 0; --parent) sift(keys, parent, size, keys[parent]);
  for (int i = size; i < n; ++i) {
    if (keys[i] < keys[0]) continue;
    const uint64_t value = keys[i];
    keys[i] = keys[0];
    sift(keys, 0, size, value);
  }
  swap_keys(keys, 0, nth);
}

/// By one thread. Afterwards keys[nth] is the one that it would be in order, those before it come
/// before it in order. n >= 1, nth < n.
__device__ inline void select_nth(uint64_t* keys, int nth, int n) {
  int depth = 0;
  for (int size = n; size > 1; size /= 2) depth += 2;
  while (n > 3) {
    if (depth-- == 0) return select_by_heap(keys, nth, n);
    const int cut = split_by_median(keys, n);
    if (cut <= nth) {
      keys += cut;
      nth -= cut;
      n -= cut;
    } else {
      n = cut;
    }
  }
  for (int i = 1; i < n; ++i) {
    for (int j = i; j > 0 && keys[j] > keys[j - 1]; --j) swap_keys(keys, j, j - 1);
  }
}

}  // namespace quire::cuda
