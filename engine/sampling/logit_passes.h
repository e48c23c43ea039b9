#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "engine/sampling/softmax_weight.h"

namespace quire {

/// The logit of a token that may not be sampled.
inline constexpr float kMasked = -std::numeric_limits<float>::infinity();

/// Logits of a block.
inline constexpr size_t kLogitBlock = 64;

/// Weights by their size: a bucket is 1/32 of a factor e wide, the first has the likeliest. Weights
/// below exp(-87) are zero.
inline constexpr float kBucketsPerE = 32.0f;
inline constexpr int32_t kNumBuckets = 87 * 32 + 1;

/// The weights in buckets before `edge` that are at least so large.
struct KeptWeights {
  int32_t edge = 0;
  float least = 0.0f;

  bool has(float weight, int32_t bucket) const { return bucket < edge && weight >= least; }
};

/// Some buckets of weights: [begin, end), not the last one, in which the zeros are.
struct BucketWindow {
  int32_t begin = 0;
  int32_t end = 0;
};

/// Where a vocabulary is parted.
struct Parting {
  BucketWindow window;
  float least = 0.0f;  ///< Smaller weights before the window are in no block's sum.
};

/// Tokens, by ascending id. Passes write a vector at a time: room for kPadding more than there are.
struct WindowTokens {
  static constexpr size_t kPadding = 16;

  std::vector<int32_t> ids;
  std::vector<int32_t> buckets;
  std::vector<float> weights;
  size_t count = 0;

  /// Empties it and makes room for so many.
  void reset(size_t most) {
    count = 0;
    ids.resize(most + kPadding);
    buckets.resize(most + kPadding);
    weights.resize(most + kPadding);
  }
};

/// The passes over a whole vocabulary for one instruction set. All are made of the same IEEE
/// operations in the same order, so that their results are the same bits.
struct LogitPasses {
  const char* name;
  /// maxima[b] = the largest logit of block b; the last block may be short. Returns whether every
  /// logit is a number below infinity; if not, maxima are of no use.
  bool (*scan)(std::span<const float> logits, std::span<float> maxima);
  /// sums[b] = the weights of block b: sixteen running sums, then one.
  void (*sum)(std::span<const float> logits, SoftmaxWeight weight, std::span<float> sums);
  /// weights[i] = weight(logits[i]), and the buckets they are in; for zeros it is the last.
  void (*weigh)(std::span<const float> logits, SoftmaxWeight weight, std::span<float> weights,
                std::span<int32_t> buckets);
  /// sums[b] = the weights of block b that are kept, in no particular order: of use where that
  /// makes no difference.
  void (*sum_kept)(std::span<const float> weights, std::span<const int32_t> buckets,
                   KeptWeights kept, std::span<double> sums);
  /// Lists the tokens of a window in `tokens`, which is reset for all there are, and returns the
  /// sum of the weights in the buckets before it; sums[b] = of those, the ones of block b that are
  /// at least parting.least. Sums are in no particular order.
  double (*part)(std::span<const float> logits, SoftmaxWeight weight, const Parting& parting,
                 std::span<double> sums, WindowTokens& tokens);
};

/// The passes for the chosen instruction set (QUIRE_CPU_ISA) and below, the fastest first.
std::span<const LogitPasses> logit_passes();

}  // namespace quire
