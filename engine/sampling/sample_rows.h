#pragma once

#include <cstdint>
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
  /// tokens: each position of a seed has its own random number. `params` are valid.
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
