#pragma once

#include "engine/chat/chat_prompt.h"

namespace quire {

/// What of a chat is sent when it has outgrown the model's context.
///
/// The oldest turns (a user's message with what answered it) are left out whole; the system prompt
/// and the last turn stay. The cut is made in strides of half of what the history may have: left
/// out are the turns that end within the first k strides of it, for the smallest k that leaves room
/// for an answer. So the cut depends on the history alone and stays where it is until another
/// stride is full, and between two cuts each prompt begins with the one before it.
struct FittedChat {
  ChatPrompt prompt;         ///< Its message_starts are those of the messages that are left.
  int dropped_messages = 0;  ///< The oldest after the system prompt.
  bool fits = true;  ///< False: not even the last turn alone; `prompt` is what that would need.
};

/// The prompt of a chat for a context of so many tokens. Renders the chat once to measure its turns
/// and once more for each cut that is tried (at most four). Errors: those of chat_prompt.
Result<FittedChat> fit_chat(const LoadedModel& model, std::span<const ChatMessage> messages,
                            int max_context, std::optional<std::chrono::local_seconds> now = {});

/// That a chat does not fit, with the numbers and what to do (kContextOverflow).
Error overflow_error(const FittedChat& chat, int max_context);

/// How many turns to leave out so that at least `excess` tokens go. `turn_ends`: for each turn that
/// may go, the tokens from the first one's beginning to its end, ascending. All of them if that
/// does not suffice.
size_t turns_to_drop(std::span<const int> turn_ends, int excess, int stride);

}  // namespace quire
