#pragma once

#include "engine/sampling/sample_rows.h"
#include "kernels/cpu/sampling/row_sampler.h"

namespace quire {

/// The token that every backend samples for a request, or -1. logits: (V), changed by penalties,
/// biases and the mask.
inline TokenId sample_one(cpu::RowSampler& sampler, std::span<float> logits,
                          const SamplingParams& params, const TokenHistory& history,
                          uint64_t position, std::span<const uint32_t> allowed = {}) {
  SampleRows rows;
  rows.add(params, history, position, allowed);
  const SampleBatch batch = rows.batch();
  return sampler.sample(logits, batch.rows.front(), batch);
}

}  // namespace quire
