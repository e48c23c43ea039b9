#include "app/engine/latency_meter.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace quire {
namespace {

constexpr double kGrowth = 1.05;

}  // namespace

int LatencyMeter::bucketOf(double ms) {
  if (!(ms > kLeastMs)) return 0;  // Also what is no number.
  const double bucket = std::log(ms / kLeastMs) / std::log(kGrowth);
  return static_cast<int>(std::min(bucket, kNumBuckets - 1.0));
}

void LatencyMeter::add(double ms, Clock::time_point now) {
  const int64_t number = numberAt(now);
  Slice& slice = m_slices[static_cast<size_t>(number % kNumSlices)];
  if (slice.number != number) slice = {.number = number};
  ++slice.counts[static_cast<size_t>(bucketOf(ms))];
}

LatencyFigures LatencyMeter::figures(Clock::time_point now) const {
  Buckets counts{};
  for (const Slice& slice : m_slices) {
    if (slice.number < 0 || numberAt(now) - slice.number >= kNumSlices) continue;
    std::ranges::transform(counts, slice.counts, counts.begin(), std::plus<>());
  }
  const uint64_t total = std::accumulate(counts.begin(), counts.end(), uint64_t{0});
  if (total == 0) return {};
  return {.count = static_cast<int>(std::min<uint64_t>(total, INT32_MAX)),
          .p50Ms = percentile(counts, total, 0.5),
          .p95Ms = percentile(counts, total, 0.95),
          .p99Ms = percentile(counts, total, 0.99)};
}

/// The middle of the bucket of the nearest rank.
double LatencyMeter::percentile(const Buckets& counts, uint64_t total, double part) {
  const auto rank = static_cast<uint64_t>(std::ceil(part * static_cast<double>(total)));
  uint64_t seen = 0;
  int bucket = 0;
  for (; bucket < kNumBuckets - 1; ++bucket) {
    seen += counts[static_cast<size_t>(bucket)];
    if (seen >= rank) break;
  }
  return kLeastMs * std::pow(kGrowth, bucket + 0.5);
}

}  // namespace quire
