#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/sampling/logit_blocks.h"
#include "engine/sampling/nucleus.h"
#include "engine/sampling/penalties.h"
#include "engine/sampling/sampling_params.h"
#include "kernels/backend.h"

namespace quire {

/// A token's probability under the model itself: before penalties, temperature and truncation
/// (vLLM's raw_logprobs).
struct TokenLogprob {
  TokenId id = 0;
  float logprob = 0.0f;
};

struct SampledToken {
  TokenId id = 0;
  float logprob = 0.0f;             ///< 0 unless num_logprobs >= 0.
  std::vector<TokenLogprob> top{};  ///< The num_logprobs likeliest, the likeliest first.
};

/// Below it every other token's weight is zero in single precision anyway.
inline constexpr float kMinTemperature = 1e-6f;

/// The logits of the answer's token at that position are not numbers.
Error unsound_logits(uint64_t position);

/// Samples tokens from logits, in the order of Hugging Face's processors: penalties, temperature,
/// top_k, top_p (of what top_k left, renormalised), min_p. Of equal logits lower ids are preferred:
/// greedy takes the lowest, top_k keeps exactly k. The result depends on the arguments of sample()
/// alone, never on earlier calls. Thread: one at a time; holds scratch memory only.
class Sampler {
 public:
  /// logits: (V), changed in place; -inf marks tokens that must not be sampled. `history` may be
  /// empty if has_penalties(params) is false. `position` counts the sequence's tokens: each
  /// position of a seed has its own random number. `params` are valid. Errors: kDevice if a logit
  /// is NaN or infinite, or all are -inf.
  Result<SampledToken> sample(std::span<float> logits, const SamplingParams& params,
                              const TokenHistory& history, uint64_t position);

 private:
  void note_logprobs(std::span<const float> logits, int count, SampledToken& token);
  TokenId sample_soft(const SamplingParams& params, double uniform);
  TokenId sample_nucleus(const SamplingParams& params, SoftmaxWeight weight, double uniform);
  TokenId sample_candidate(float min_p, double uniform);
  void select(const SamplingParams& params, SoftmaxWeight weight);
  void weigh_candidates(SoftmaxWeight weight);

  LogitBlocks m_blocks;
  std::vector<Candidate> m_candidates;
  NucleusHistogram m_histogram;
  std::vector<float> m_raw;  ///< A copy for log probabilities, since penalties change the logits.
  float m_log_sum = 0.0f;    ///< Of the raw logits' exponentials.
};

/// The arguments for sampling the tokens of a step's rows, in their order, on a device.
class SampleRows {
 public:
  void clear();
  /// As Sampler::sample; `params` must not ask for logprobs.
  void add(const SamplingParams& params, const TokenHistory& history, uint64_t position);

  size_t size() const { return m_rows.size(); }
  /// Valid until the next change.
  SampleBatch batch() const {
    return {.rows = m_rows, .seen_ids = m_seen_ids, .output_counts = m_output_counts};
  }

 private:
  std::vector<SampleRow> m_rows;
  std::vector<int32_t> m_seen_ids;
  std::vector<int32_t> m_output_counts;
};

}  // namespace quire
