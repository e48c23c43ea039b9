#pragma once

#include <span>
#include <vector>

#include "kernels/base/softmax_weight.h"
#include "kernels/cpu/sampling/logit_blocks.h"

namespace quire::cpu {

/// Truncates `candidates`, which are in order of preference, to the nucleus (arXiv:1904.09751): the
/// smallest set whose weights sum to `target`; at least one remains.
void keep_nucleus(std::vector<Candidate>& candidates, double target);

/// Selects the nucleus of a whole vocabulary, for flat distributions whose nucleus is large: a
/// histogram of the weights tells in which bucket it ends, and only that one is sorted.
/// Thread: one at a time; holds scratch memory.
class NucleusHistogram {
 public:
  /// The smallest set whose weights sum to `target`, positive and at most the sum of all: by
  /// ascending id, then those of the last bucket in order of preference. logits: (V)
  void select(std::span<const float> logits, SoftmaxWeight weight, double target,
              std::vector<Candidate>& out);

 private:
  std::vector<float> m_weights;    ///< (V)
  std::vector<int32_t> m_buckets;  ///< (V)
  std::vector<double> m_sums;      ///< By bucket.
  std::vector<Candidate> m_last;   ///< The candidates of the bucket in which the nucleus ends.
};

}  // namespace quire::cpu
