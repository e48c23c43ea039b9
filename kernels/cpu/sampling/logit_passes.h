#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "kernels/base/softmax_weight.h"

namespace quire::cpu {

/// The logit of a token that may not be sampled.
inline constexpr float kMasked = -std::numeric_limits<float>::infinity();

/// Logits of a block.
inline constexpr size_t kLogitBlock = 64;

/// Weights by size: a bucket is 1/32 of a factor e wide, the first holds the largest. Weights below
/// exp(-87) are zero and lie in the last.
inline constexpr float kBucketsPerE = 32.0f;
inline constexpr int32_t kNumBuckets = 87 * 32 + 1;

/// The passes over a whole vocabulary for one instruction set. All are made of the same IEEE
/// operations in the same order, so that their results are the same bits.
struct LogitPasses {
  const char* name;
  /// maxima[b] = the largest logit of block b; the last block may be short. Returns whether every
  /// logit is a number below infinity; if not, the maxima are meaningless.
  bool (*scan)(std::span<const float> logits, std::span<float> maxima);
  /// sums[b] = the weights of block b: sixteen running sums, then one.
  void (*sum)(std::span<const float> logits, SoftmaxWeight weight, std::span<float> sums);
  /// weights[i] = weight(logits[i]), and their buckets.
  void (*weigh)(std::span<const float> logits, SoftmaxWeight weight, std::span<float> weights,
                std::span<int32_t> buckets);
};

/// The passes for the chosen instruction set (QUIRE_CPU_ISA) and below, the fastest first.
std::span<const LogitPasses> logit_passes();

}  // namespace quire::cpu
