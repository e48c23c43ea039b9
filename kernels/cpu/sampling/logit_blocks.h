#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/base/softmax_weight.h"

namespace quire::cpu {

/// A token that may be sampled.
struct Candidate {
  int32_t id = 0;
  float logit = 0.0f;
  float weight = 0.0f;  ///< Set by callers that need it.
};

/// The order of preference: the likelier first, of equals the lower id.
inline bool is_preferred(const Candidate& a, const Candidate& b) {
  return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
}

/// Logits in blocks of 64 with the maximum of each, so that after one fast pass the likeliest few
/// of 150,000 are found in a few blocks. Thread: one at a time. The logits must outlive the other
/// calls and not change after scan().
class LogitBlocks {
 public:
  /// Whether every logit is a number below infinity and one is above minus infinity (which marks
  /// tokens that must not be sampled); only then may the others be called.
  bool scan(std::span<const float> logits);

  float max() const { return m_max; }
  std::span<const float> logits() const { return m_logits; }
  /// The lowest id among the largest.
  int32_t argmax() const;

  /// The k likeliest in order of preference, without masked ones.
  void select_top(size_t k, std::vector<Candidate>& out) const;
  /// All with logit >= threshold by ascending id, without masked ones.
  void select_above(float threshold, std::vector<Candidate>& out) const;

  /// The sum of all weights. Deterministic: a fixed order of additions.
  double sum_weights(SoftmaxWeight weight);
  /// The token in which the running sum of weights, by ascending id, passes `target`;
  /// after sum_weights with the same weight.
  int32_t find_running_sum(SoftmaxWeight weight, double target) const;

 private:
  std::span<const float> block(size_t index) const;
  float lower_bound_of_kth(size_t k) const;

  std::span<const float> m_logits;
  std::vector<float> m_maxima;  ///< By block.
  std::vector<float> m_sums;    ///< By block, of weights.
  float m_max = 0.0f;
};

}  // namespace quire::cpu
