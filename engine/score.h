#pragma once

#include <span>
#include <vector>

#include "engine/model_loader.h"

namespace quire {

/// Logits (R, V) f32 of the given rows (ascending) of one token sequence, with keys and values of
/// its own: for inspection, perplexity and tests; it leaves an engine on the same model alone.
/// `adapter`: one that was added to the model's decoder, or 0.
/// Errors: kInvalidArgument (no tokens, a token or row out of range), kContextOverflow,
/// kOutOfMemory, kUnsupported (a dtype that the devices do not keep).
Result<std::vector<float>> compute_logits(const LoadedModel& model, std::span<const TokenId> tokens,
                                          std::span<const int32_t> rows,
                                          DType kv_dtype = DType::kF32, AdapterId adapter = 0);

/// -log softmax(logits)[target], summed in double precision.
double negative_log_likelihood(std::span<const float> logits, TokenId target);

}  // namespace quire
