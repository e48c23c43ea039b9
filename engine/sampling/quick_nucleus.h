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
  /// A token of the smallest set whose weights sum to `target`, positive and at most `total`, the
  /// sum of all: the one that WideNucleus draws. None if the sample is too small or has misled, or
  /// if the sums would not be exact.
  std::optional<TokenId> draw(std::span<const float> logits, SoftmaxWeight weight, double total,
                              double target, float min_p, double uniform);

 private:
  BucketWindow guess_window(std::span<const float> logits, SoftmaxWeight weight, double tail);
  std::optional<int32_t> find_edge(BucketWindow window, double before, double target);
  void add_window(int32_t edge, float min_p);
  void list_edge(std::span<const float> logits, int32_t edge);

  // The sample.
  std::vector<float> m_logits;
  std::vector<float> m_weights;
  std::vector<int32_t> m_buckets;
  // By bucket: sums of weights, and of their squares.
  std::vector<double> m_sums;
  std::vector<double> m_squares;

  WindowTokens m_window;
  std::vector<double> m_block_sums;
  std::vector<Candidate> m_at_edge;
  double m_before_edge = 0.0;
};

}  // namespace quire
