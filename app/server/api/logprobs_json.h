#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "app/engine/chat_backend.h"

namespace quire {

/// The logprobs of a choice of /v1/chat/completions.
nlohmann::ordered_json chatLogprobs(const QList<TokenChances>& tokens);

/// The logprobs of a choice of /v1/completions. `offset`: the characters of the answer before these
/// tokens; it is moved behind them.
nlohmann::ordered_json completionLogprobs(const QList<TokenChances>& tokens, int64_t& offset);

}  // namespace quire
