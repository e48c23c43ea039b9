#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/backend.h"
#include "kernels/cpu/sampling/logit_blocks.h"
#include "kernels/cpu/sampling/nucleus.h"

namespace quire::cpu {

/// Penalises the row's seen tokens, in vLLM's order. logits: (V), changed in place. Repetition
/// counts the prompt and the answer: positive logits are divided by the penalty, others multiplied
/// (arXiv:1909.05858, section 4.1, as Hugging Face completes it for negative ones). Then frequency
/// times the count and presence once are subtracted, for the answer's tokens alone.
void apply_penalties(std::span<float> logits, const SampleRow& row, const SampleBatch& batch);

/// Adds the row's biases to its logits. logits: (V), changed in place.
void apply_biases(std::span<float> logits, const SampleRow& row, const SampleBatch& batch);

/// Masks the logits of tokens that the row does not allow. logits: (V), changed in place.
void apply_mask(std::span<float> logits, const SampleRow& row, const SampleBatch& batch);

/// Samples tokens from logits, in the order of Hugging Face's processors: penalties, biases, the
/// mask of allowed tokens, temperature, top_k, top_p (of what top_k left, renormalised), min_p. Of
/// equal logits lower ids are preferred: greedy takes the lowest, top_k keeps exactly k. The result
/// depends on the arguments of sample() alone, never on earlier calls. It defines what every
/// backend samples. Thread: one at a time; holds scratch memory only.
class RowSampler {
 public:
  /// logits: (V), changed in place by penalties, biases and masks; -inf marks tokens that must not
  /// be sampled. `row` is one of the batch's. Returns -1 if a logit is NaN or +inf, or all are
  /// -inf.
  int32_t sample(std::span<float> logits, const SampleRow& row, const SampleBatch& batch);

 private:
  int32_t sample_soft(const SampleRow& row);
  int32_t sample_nucleus(const SampleRow& row, SoftmaxWeight weight);
  int32_t sample_candidate(float min_p, double uniform);
  void select(const SampleRow& row, SoftmaxWeight weight);
  void weigh_candidates(SoftmaxWeight weight);

  LogitBlocks m_blocks;
  std::vector<Candidate> m_candidates;
  NucleusHistogram m_histogram;
};

}  // namespace quire::cpu
