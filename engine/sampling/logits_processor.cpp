#include "engine/sampling/logits_processor.h"

namespace quire {

bool has_penalties(const SamplingParams& params) {
  return params.repetition_penalty != 1.0f || params.presence_penalty != 0.0f ||
         params.frequency_penalty != 0.0f;
}

void apply_penalties(std::span<float> logits, const SamplingParams& params,
                     const TokenHistory& history) {
  if (!has_penalties(params)) return;
  const float repetition = params.repetition_penalty;
  for (const TokenId id : history.seen()) {
    const auto index = static_cast<size_t>(id);
    if (index >= logits.size()) continue;
    float& logit = logits[index];
    logit = logit > 0.0f ? logit / repetition : logit * repetition;
    const uint32_t count = history.output_count(id);
    if (count == 0) continue;
    logit -= params.frequency_penalty * static_cast<float>(count);
    logit -= params.presence_penalty;
  }
}

}  // namespace quire
