#pragma once

#include <array>
#include <chrono>
#include <cstdint>

#include "app/engine/engine_report.h"

namespace quire {

/// Percentiles of durations over the last five minutes, in memory of a fixed size: a histogram for
/// each half minute, with buckets so narrow that a percentile is off by 2.5 % at most.
/// Thread: one.
/// Invariants: times never decrease; older durations do not count.
class LatencyMeter {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kSlice{30};
  static constexpr int kNumSlices = 10;
  /// Shorter and longer ones count as these.
  static constexpr double kLeastMs = 0.05;
  static constexpr double kMostMs = 1e6;

  void add(double ms, Clock::time_point now);
  LatencyFigures figures(Clock::time_point now) const;
  void clear() { m_slices = {}; }

 private:
  static constexpr int kNumBuckets = 346;  ///< From kLeastMs to kMostMs, 5 % each.
  using Buckets = std::array<uint32_t, kNumBuckets>;
  struct Slice {
    int64_t number = -1;  ///< Of the half minute since the clock began; -1: never used.
    Buckets counts{};
  };
  static int64_t numberAt(Clock::time_point now) { return now.time_since_epoch() / kSlice; }
  static int bucketOf(double ms);
  static double percentile(const Buckets& counts, uint64_t total, double part);

  std::array<Slice, kNumSlices> m_slices;
};

}  // namespace quire
