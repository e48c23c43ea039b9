#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <vector>

#include "engine/chat/chat_message.h"
#include "engine/model_loader.h"
#include "engine/sampling/sampling_params.h"

namespace quire {

/// A chat as the model reads it.
struct ChatPrompt {
  std::vector<TokenId> tokens;
  /// With these leading tokens begins every chat under the same system prompt: all before the words
  /// of its first other message. May be a token short of that, never too long.
  int persona_tokens = 0;
  /// For each message the first token of its words, ascending. A message without words of its own
  /// in the prompt (the template leaves it out) begins where the next one does, or at the end.
  std::vector<int> message_starts;
};

/// The prompt of a chat, rendered by the model's template; what asks for BOS is the template.
/// Errors: kTemplate; kInvalidArgument for no messages.
Result<ChatPrompt> chat_prompt(const LoadedModel& model, std::span<const ChatMessage> messages,
                               bool add_generation_prompt = true,
                               std::optional<std::chrono::local_seconds> now = {});

/// How many messages at the head of a chat belong to its system prompt.
size_t leading_system_messages(std::span<const ChatMessage> messages);

/// Adds the strings that end an answer of a chat with this model to what the user asked for.
void add_turn_stops(const LoadedModel& model, SamplingParams& sampling);

}  // namespace quire
