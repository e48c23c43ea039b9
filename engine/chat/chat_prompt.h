#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "engine/chat/chat_format.h"
#include "engine/chat/chat_message.h"
#include "engine/chat/prompt_options.h"
#include "engine/sampling/sampling_params.h"

namespace quire {

/// A chat as the model reads it.
struct ChatPrompt {
  std::vector<TokenId> tokens;
  /// The number of leading tokens that every chat under the same system prompt begins with: all
  /// before the text of the first other message. May be one token too few, never too many.
  int persona_tokens = 0;
  /// For each message the first token of its text, ascending. A message without text in the prompt
  /// (the template leaves it out) begins where the next one does, or at the end.
  std::vector<int> message_starts;
};

/// The prompt of a chat, rendered by the model's template, which also writes BOS if it is wanted.
/// A prompt of far more than `most_tokens` is refused before all of it is encoded. Thread: any.
/// Errors: kTemplate; kContextOverflow; kInvalidArgument for no messages, and for options that are
/// not the JSON which they must be.
Result<ChatPrompt> chat_prompt(const ChatFormat& format, std::span<const ChatMessage> messages,
                               const PromptOptions& options = {},
                               std::optional<size_t> most_tokens = {});

/// How many messages at the head of a chat belong to its system prompt.
size_t leading_system_messages(std::span<const ChatMessage> messages);

/// Adds the strings that end an answer of a chat with this model to what the user asked for.
void add_turn_stops(const ChatFormat& format, SamplingParams& sampling);

}  // namespace quire
