#pragma once

#include <span>
#include <vector>

#include "engine/sampling/logit_blocks.h"
#include "engine/sampling/logit_passes.h"

namespace quire {

/// Cuts `candidates` to the smallest set, by order of preference, whose weights sum to `target`; at
/// least one stays. Linear time; the set's order is unspecified but deterministic.
void keep_nucleus(std::vector<Candidate>& candidates, double target);

/// Where a running sum passes its target.
struct SumPlace {
  size_t block;   ///< In this block; the number of blocks if in none,
  TokenId token;  ///< but at this token.
  double before;  ///< The sum of the blocks before it.
  double target;
};

/// Where the running sum of blocks' sums, and then of the tokens' weights, passes `uniform`, below
/// 1, of the whole; the sums are exact.
SumPlace find_sum_place(std::span<const double> blocks, std::span<const Candidate> tokens,
                        double uniform);

/// The token of the place's block, whose weights and buckets are those, in which the running sum of
/// those that are kept passes the target, which it does.
size_t find_in_block(std::span<const float> weights, std::span<const int32_t> buckets,
                     KeptWeights kept, const SumPlace& place);

/// Whether weights of at least `least` that sum to no more than `sum` have exact sums in double,
/// the same in any order.
bool is_exact_sum(double sum, double least);
/// A weight that no bucket up to this one has less than, but for the zeros in the last.
double least_weight_of(int32_t bucket);

/// The nucleus of a whole vocabulary, for flat distributions where it may be most of it: weights
/// are summed up by buckets, and only those at the edge are compared with each other.
/// Thread: one at a time; holds scratch memory. Invariants: after find(), m_at_edge are those of
/// the edge's bucket that belong to the nucleus; all of the buckets before it do.
class WideNucleus {
 public:
  /// The smallest set whose weights sum to `target`, positive and at most the sum of all.
  /// logits: (V)
  void find(std::span<const float> logits, SoftmaxWeight weight, double target);

  /// Whether the weights of its tokens, of those of at least min_p, have exact sums, the same in
  /// any order, so that draw() may be called.
  bool has_exact_sums(float min_p) const;
  /// As drawing from list(): the token in which the running sum of those weights passes `uniform`,
  /// below 1, of the whole. Only once after find().
  TokenId draw(float min_p, double uniform);

  /// Its tokens: by ascending id, those at the edge last.
  void list(std::span<const float> logits, std::vector<Candidate>& out) const;

 private:
  double find_edge(double target);
  void list_edge(std::span<const float> logits);

  std::vector<float> m_weights;    ///< (V)
  std::vector<int32_t> m_buckets;  ///< (V)
  std::vector<double> m_sums;      ///< By bucket, then by block.
  std::vector<Candidate> m_at_edge;
  int32_t m_edge = 0;    ///< The bucket in which the sum reaches the target.
  double m_reach = 0.0;  ///< The sum with all of that bucket.
};

}  // namespace quire
