#pragma once

#include <algorithm>
#include <type_traits>

#include "kernels/cpu/cpu_backend.h"

namespace quire::cpu {

/// Below this many elements a row operation costs less than waking the other threads.
inline constexpr int64_t kMinParallelElements = 32768;

template <typename Fn>
void CpuBackend::for_each_row(int64_t num_rows, int64_t row_elements, Fn fn) {
  const int64_t rows_per_task =
      std::max<int64_t>(1, kMinParallelElements / 2 / std::max<int64_t>(1, row_elements));
  const int64_t num_tasks = num_rows * row_elements < kMinParallelElements
                                ? 1
                                : (num_rows + rows_per_task - 1) / rows_per_task;
  m_pool.parallel_for(num_tasks, [&](int64_t task, int thread) {
    const int64_t end = num_rows * (task + 1) / num_tasks;
    for (int64_t row = num_rows * task / num_tasks; row < end; ++row) {
      if constexpr (std::is_invocable_v<Fn, int64_t, int>) {
        fn(row, thread);
      } else {
        fn(row);
      }
    }
  });
}

}  // namespace quire::cpu
