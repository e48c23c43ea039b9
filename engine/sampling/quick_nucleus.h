#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/sampling/logit_passes.h"
#include "engine/sampling/nucleus.h"

namespace quire {

/// Draws as WideNucleus does, in one pass over the vocabulary: a sample of it tells in which few
/// buckets the nucleus ends, so that only the weights in these are looked at one by one. It does
/// not always know: WideNucleus does.
/// Thread: one at a time; holds scratch memory.
class QuickNucleus {
 public:
  struct Draw {
    double total = 0.0;    ///< The sum of all weights.
    double target = 0.0;   ///< What the nucleus' weights sum to; positive, at most `total`.
    float min_p = 0.0f;    ///< At most 1.
    double uniform = 0.0;  ///< In [0, 1).
  };

  /// The token that WideNucleus draws. None if the vocabulary is too small for a sample, if this
  /// one has misled, or if the sums would not be exact. logits: (V)
  std::optional<TokenId> draw(std::span<const float> logits, SoftmaxWeight weight,
                              const Draw& draw);

 private:
  /// The bucket in which the sum reaches the target.
  struct Edge {
    int32_t bucket;
    double before;  ///< The sum of the buckets before it.
  };

  BucketWindow guess_window(std::span<const float> logits, SoftmaxWeight weight, double tail);
  std::optional<Edge> find_edge(BucketWindow window, double before, double target);
  void add_window(int32_t edge, float min_p);
  void list_edge(std::span<const float> logits, int32_t edge);

  // Some logits, of the sample or of a block, with their weights.
  std::vector<float> m_logits;
  std::vector<float> m_weights;
  std::vector<int32_t> m_buckets;
  // By bucket, of the sample's or the window's: sums of weights, and of their squares.
  std::vector<double> m_sums;
  std::vector<double> m_squares;

  WindowTokens m_window;
  std::vector<double> m_block_sums;  ///< Of kept weights.
  std::vector<Candidate> m_at_edge;
};

}  // namespace quire
