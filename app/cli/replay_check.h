#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "app/store/recorded_answers.h"
#include "engine/llm.h"

namespace quire {

/// How a stored answer and the same made again compare.
struct ReplayVerdict {
  enum class Kind {
    kIdentical,  ///< Every token, and the end where the answer had one of its own.
    kDiffers,    ///< From `position` on.
    kUnknown,    ///< It cannot be made again; `reason` says why.
    kFailed,     ///< It failed before its first token: there is nothing to compare.
  };
  Kind kind = Kind::kUnknown;
  int position = 0;               ///< The first token that differs, counted from 1.
  std::optional<TokenId> stored;  ///< None: the answer had ended before `position`.
  std::optional<TokenId> now;
  std::string stored_end;  ///< The finish_reason_name, where that end came before `position`.
  std::string now_end;
  std::string reason;  ///< A sentence.
};

/// Why this model cannot make the answer again: it is another than the one that did. Empty if it
/// can.
std::string find_obstacle(const RecordedAnswer& recorded, const LoadedModel& model);

/// What makes the answer again; one that was cut off goes on only as far as it came.
Request replay_request(const RecordedAnswer& recorded);

/// Whether tokens that begin at `offset` of the new answer are those of the stored one.
bool agrees(const RecordedAnswer& recorded, size_t offset, std::span<const TokenId> tokens);

/// Compares what was stored with what came now. `now` may have been cancelled where it disagreed.
ReplayVerdict judge(const RecordedAnswer& recorded, const Completion& now);

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
