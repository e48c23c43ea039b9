#include "engine/request.h"

#include <algorithm>
#include <string>

#include "engine/grammar/grammar.h"

namespace quire {

namespace {

/// The parameters that name tokens.
Result<void> validate_tokens(const SamplingParams& sampling, int vocab_size) {
  const auto unknown = [&](const char* field, TokenId id) {
    return Error{ErrorCode::kInvalidArgument, std::string(field) + " has token " +
                                                  std::to_string(id) +
                                                  ", which is not in this model's vocabulary of " +
                                                  std::to_string(vocab_size) + " tokens."};
  };
  for (const LogitBias& bias : sampling.logit_bias) {
    if (bias.id < 0 || bias.id >= vocab_size) return unknown("logit_bias", bias.id);
  }
  for (const TokenId id : sampling.stop_token_ids) {
    if (id < 0 || id >= vocab_size) return unknown("stop_token_ids", id);
  }
  if (sampling.grammar && sampling.grammar->vocabulary().vocab_size() != vocab_size) {
    return Error{ErrorCode::kInvalidArgument, "The grammar is for another model's vocabulary."};
  }
  return {};
}

}  // namespace

Result<void> validate(const Request& request, int vocab_size, int max_context) {
  const auto out_of_range = [&](TokenId id) { return id < 0 || id >= vocab_size; };
  if (request.prompt.empty()) {
    return make_error(ErrorCode::kInvalidArgument, "The prompt is empty; write something first.");
  }
  const auto bad = std::ranges::find_if(request.prompt, out_of_range);
  if (bad != request.prompt.end()) {
    return Error{ErrorCode::kInvalidArgument, "Token " + std::to_string(*bad) +
                                                  " is not in this model's vocabulary of " +
                                                  std::to_string(vocab_size) + " tokens (0 to " +
                                                  std::to_string(vocab_size - 1) + ")."};
  }
  const auto bad_forced = std::ranges::find_if(request.forced, out_of_range);
  if (bad_forced != request.forced.end()) {
    return Error{ErrorCode::kInvalidArgument,
                 "Token " + std::to_string(*bad_forced) +
                     " of the forced answer is not in this model's vocabulary of " +
                     std::to_string(vocab_size) + " tokens."};
  }
  if (request.prompt.size() >= static_cast<size_t>(max_context)) {
    return make_error(
        ErrorCode::kContextOverflow,
        "The prompt has %1 tokens, and the context of %2 leaves no room for an answer; "
        "make the prompt shorter or the context larger.",
        {std::to_string(request.prompt.size()), std::to_string(max_context)});
  }
  if (const auto valid = validate(request.sampling); !valid) return valid;
  return validate_tokens(request.sampling, vocab_size);
}

std::string_view finish_reason_name(FinishReason reason) {
  static constexpr std::string_view kNames[] = {"end",     "stop",      "length",
                                                "context", "cancelled", "failed"};
  return kNames[static_cast<size_t>(reason)];
}

}  // namespace quire
