#pragma once

#include <span>
#include <vector>

#include "engine/tokenizer/tokenizer.h"

namespace quire {

/// A token's probability under the model itself: before penalties, temperature and truncation
/// (vLLM's raw_logprobs).
struct TokenLogprob {
  TokenId id = 0;
  float logprob = 0.0f;
};

/// The log probability of the sampled token, then those of the `count` likeliest, the likeliest
/// first and of equals the lower id. logits: (V), numbers below infinity, as the model gives them;
/// -inf marks tokens that are never among the likeliest.
std::vector<TokenLogprob> compute_logprobs(std::span<const float> logits, TokenId sampled,
                                           int count);

}  // namespace quire
