#pragma once

#include "engine/chat/chat_prompt.h"

namespace quire {

/// The prompt of a chat, truncated to the model's context.
///
/// The oldest turns (a user's message with its answers) are dropped whole; the system prompt and
/// the last turn stay. The cut moves in strides of half of the tokens available for the history:
/// the turns that end within the first k strides are dropped, for the smallest k that leaves tokens
/// for an answer. So the cut depends on the history alone and stays until another stride is full,
/// and between two cuts each prompt begins with the one before it.
struct FittedChat {
  ChatPrompt prompt;         ///< Its message_starts are those of the messages that are left.
  int dropped_messages = 0;  ///< The oldest after the system prompt.
  bool fits = true;  ///< False: not even the last turn alone; `prompt` is what that would need.
};

/// The prompt of a chat for a context of `max_context` tokens. Renders the chat once to measure its
/// turns and once more for each cut that is tried (at most four). Thread: any. Errors: those of
/// chat_prompt.
Result<FittedChat> fit_chat(const ChatFormat& format, std::span<const ChatMessage> messages,
                            int max_context, const PromptOptions& options = {});

/// The error for a chat that does not fit, with the numbers and a remedy (kContextOverflow).
Error overflow_error(const FittedChat& chat, int max_context);

/// How many turns to drop to remove at least `excess` tokens; all if that is not enough.
/// `turn_ends`: for each turn that may be dropped, the tokens from the first one's beginning to its
/// end, ascending.
size_t turns_to_drop(std::span<const int> turn_ends, int excess, int stride);

}  // namespace quire
