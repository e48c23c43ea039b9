#pragma once

#include <span>
#include <vector>

#include "engine/model_loader.h"

namespace quire {

/// Logits (R, V) f32 of the given rows (ascending) of one token sequence, with keys and values of
/// its own in f32: for inspection, perplexity and tests; it leaves an engine on the same model
/// alone. Errors: kInvalidArgument (no tokens, a token or row out of range), kContextOverflow,
/// kOutOfMemory.
Result<std::vector<float>> compute_logits(const LoadedModel& model, std::span<const TokenId> tokens,
                                          std::span<const int32_t> rows);

}  // namespace quire
