#include "engine/request.h"

#include <algorithm>
#include <string>

namespace quire {

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
  return validate(request.sampling);
}

std::string_view finish_reason_name(FinishReason reason) {
  static constexpr std::string_view kNames[] = {"end",     "stop",      "length",
                                                "context", "cancelled", "failed"};
  return kNames[static_cast<size_t>(reason)];
}

}  // namespace quire
