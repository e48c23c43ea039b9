#pragma once

#include <span>

#include "engine/sampling/sampling_params.h"
#include "engine/sampling/token_history.h"

namespace quire {

/// Whether any penalty of `params` changes anything; if not, no history is needed.
bool has_penalties(const SamplingParams& params);

/// Penalises tokens that the sequence already has, in vLLM's order. logits: (V), changed in place.
/// Repetition counts the prompt and the answer: positive logits are divided by the penalty, others
/// multiplied (arXiv:1909.05858, section 4.1, as Hugging Face completes it for negative ones).
/// Then frequency times the count and presence once are subtracted, for the answer's tokens alone.
void apply_penalties(std::span<float> logits, const SamplingParams& params,
                     const TokenHistory& history);

}  // namespace quire
