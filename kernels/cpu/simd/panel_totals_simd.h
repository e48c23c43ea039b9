#pragma once

// Shared by the GEMMs over panels; included only by the variants' headers.

#include "kernels/cpu/cpu_kernels.h"

namespace quire::cpu {
namespace {

/// Prefetches a cache line into L2 or L1. Without the branch, GCC moves the prefetches of a loop
/// together, which halves its speed (docs/cpu.md). A template argument would compile all GEMVs
/// twice.
inline void prefetch_line(const void* p, bool into_l2) {
  if (into_l2) {
    __builtin_prefetch(p, 0, 1);
  } else {
    __builtin_prefetch(p, 0, 3);
  }
}

/// Prefetches memory that is read next, some cache lines in each step.
struct ReadAhead {
  const char* at;
  int num_lines;  ///< Of a step.

  void step() {
    for (int i = 0; i < num_lines; ++i) __builtin_prefetch(at + 64 * i, 0, 2);
    at += 64 * num_lines;
  }
};

/// Loads the totals (padded_rows, kPanelColumns) of the inputs before the range from the outputs of
/// the a.num_rows rows; zeros for the other rows, and if the range is the first.
template <class V, class Product>
inline void load_totals(const Product& a, int64_t padded_rows, float* totals) {
  for (int64_t row = 0; row < padded_rows; ++row, totals += kPanelColumns) {
    for (int column = 0; column < kPanelColumns; column += V::kWidth) {
      const int count = a.num_columns - column;
      const bool has_sums = a.inputs.begin > 0 && row < a.num_rows && count > 0;
      V::store(totals + column,
               has_sums ? V::load_n(a.out[row] + a.first_output + column, count) : V::zero());
    }
  }
}

/// Stores the totals of a row plus the bias.
template <class V, class Product>
inline void store_totals(const Product& a, int64_t row, const float* totals) {
  float* const out = a.out[row] + a.first_output;
  for (int column = 0; column < a.num_columns; column += V::kWidth) {
    const int count = a.num_columns - column;
    typename V::F sum = V::load(totals + column);
    if (a.bias != nullptr) sum = V::add(sum, V::load_n(a.bias + column, count));
    V::store_n(out + column, sum, count);
  }
}

}  // namespace
}  // namespace quire::cpu
