#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/sampling/penalties.h"
#include "engine/sampling/sampling_params.h"
#include "kernels/backend.h"

namespace quire {

/// The arguments for sampling the tokens of a step's rows, in their order.
class SampleRows {
 public:
  void clear();
  /// `history` may be empty if has_penalties(params) is false. `position` counts the sequence's
  /// tokens: each position of a seed has its own random number. `params` are valid. `allowed`: the
  /// tokens that may be sampled, as in SampleBatch::allowed_words; empty: all.
  void add(const SamplingParams& params, const TokenHistory& history, uint64_t position,
           std::span<const uint32_t> allowed = {});

  size_t size() const { return m_rows.size(); }
  /// Valid until the next change.
  SampleBatch batch() const {
    return {.rows = m_rows,
            .seen_ids = m_seen_ids,
            .output_counts = m_output_counts,
            .bias_ids = m_bias_ids,
            .biases = m_biases,
            .allowed_words = m_allowed_words};
  }

 private:
  std::vector<SampleRow> m_rows;
  std::vector<int32_t> m_seen_ids;
  std::vector<int32_t> m_output_counts;
  std::vector<int32_t> m_bias_ids;
  std::vector<float> m_biases;
  std::vector<uint32_t> m_allowed_words;
};

}  // namespace quire
