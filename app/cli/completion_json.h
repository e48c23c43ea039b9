#pragma once

#include <nlohmann/json_fwd.hpp>

#include "engine/llm.h"

namespace quire {

/// Tokens per second of one answer after its first token; 0 if there are no further ones.
double tokens_per_second(const RequestUsage& usage);

/// An answer as `generate --json` prints it: text, tokens, finish, error (if it failed), usage,
/// logprobs (if asked for), prompt_tokens.
nlohmann::ordered_json completion_json(const Completion& completion,
                                       const std::vector<TokenId>& prompt,
                                       const Tokenizer& tokenizer);

}  // namespace quire
