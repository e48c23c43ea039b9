#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/cli/replay_check.h"

namespace quire {

/// Message 12 of "Capitals": identical (34 tokens).
/// `tokenizer` spells the tokens of a difference; null where no model was needed.
std::string replay_line(const RecordedAnswer& recorded, const ReplayVerdict& verdict,
                        const Tokenizer* tokenizer);

/// The same as an object: message, chat, title, model, tokens, result ("identical", "differs",
/// "unknown", "failed"); where it differs position, stored and now (each {"id", "token"} or
/// {"end"}); else reason.
nlohmann::ordered_json replay_json(const RecordedAnswer& recorded, const ReplayVerdict& verdict,
                                   const Tokenizer* tokenizer);

/// A line for a list of what can be replayed.
std::string listing_line(const RecordedAnswer& recorded);
nlohmann::ordered_json listing_json(const RecordedAnswer& recorded);

}  // namespace quire
