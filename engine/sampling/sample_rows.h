#pragma once

#include <cstdint>
#include <vector>

#include "engine/sampling/penalties.h"
#include "engine/sampling/sampling_params.h"
#include "kernels/backend.h"

namespace quire {

/// What a device needs to sample the tokens of a step's rows, in their order.
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
