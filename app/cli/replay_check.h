#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "app/store/recorded_answers.h"
#include "engine/llm.h"

namespace quire {

/// The result of comparing a stored answer with the same answer made again.
struct ReplayVerdict {
  enum class Kind {
    kIdentical,  ///< Every token is equal, and the end unless something outside ended the answer.
    kDiffers,    ///< The answers differ from `position` on.
    kUnknown,    ///< The answer cannot be made again; `reason` says why.
    kFailed,     ///< The answer failed before its first token: there is nothing to compare.
  };
  static constexpr size_t kNumKinds = 4;
  Kind kind = Kind::kUnknown;
  int position = 0;               ///< The first token that differs, counted from 1.
  std::optional<TokenId> stored;  ///< None if the stored answer ends before `position`.
  std::optional<TokenId> now;
  std::string stored_end;  ///< The finish_reason_name if the answer ends before `position`.
  std::string now_end;
  std::string reason;  ///< A sentence.
};

/// Why this model cannot make the answer again (another model or template made it); empty if it
/// can.
std::string find_obstacle(const RecordedAnswer& recorded, const LoadedModel& model);

/// The request that makes the answer again; an answer that was cut off is made up to its last
/// token.
Request replay_request(const RecordedAnswer& recorded);

/// Whether `tokens`, which begin at `offset` of the new answer, equal those of the stored answer.
bool agrees(const RecordedAnswer& recorded, size_t offset, std::span<const TokenId> tokens);

/// Compares the stored answer with the new one, which may have been cancelled where it differs.
ReplayVerdict judge(const RecordedAnswer& recorded, const Completion& now);

/// "Message 12 of "Capitals": identical (34 tokens)." `tokenizer` spells the tokens that differ;
/// null if no model was loaded.
std::string replay_line(const RecordedAnswer& recorded, const ReplayVerdict& verdict,
                        const Tokenizer* tokenizer);

/// The same as an object: message, chat, title, model, tokens, result ("identical", "differs",
/// "unknown", "failed"); where it differs position, stored and now (each {"id", "token"} or
/// {"end"}); else reason.
nlohmann::ordered_json replay_json(const RecordedAnswer& recorded, const ReplayVerdict& verdict,
                                   const Tokenizer* tokenizer);

/// A line for the list of answers.
std::string listing_line(const RecordedAnswer& recorded);
nlohmann::ordered_json listing_json(const RecordedAnswer& recorded);

}  // namespace quire
