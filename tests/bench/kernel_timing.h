#pragma once

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

#include "kernels/backend.h"

/// What the benchmarks of CPU kernels share.
namespace quire::bench {

/// One thread is measured by its processor time, which other programs on the machine do not add to.
inline bool measures_processor_time = false;

inline double now_seconds() {
  timespec time{};
  clock_gettime(measures_processor_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Seconds of one call of fn: the fastest of at least three, in at least 300 ms.
template <typename Fn>
double best_seconds(Fn fn) {
  fn();
  double best = 1e30;
  const double first = now_seconds();
  for (int calls = 0; calls < 3 || now_seconds() - first < 0.3; ++calls) {
    const double begin = now_seconds();
    fn();
    best = std::min(best, now_seconds() - begin);
  }
  return best;
}

inline std::vector<float> ramp(int64_t n) {
  std::vector<float> x(static_cast<size_t>(n));
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 97) * 0.01f - 0.5f;
  return x;
}

inline void print(const char* what, double seconds, double flops, double bytes) {
  std::printf("%-52s %9.1f us %8.1f GFLOP/s %7.1f GB/s\n", what, seconds * 1e6,
              flops / seconds * 1e-9, bytes / seconds * 1e-9);
}

}  // namespace quire::bench
