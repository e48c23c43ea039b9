#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/model_loader.h"
#include "engine/sampling/sampling_params.h"

namespace quire {

struct ChatMessage {
  std::string role;  ///< "system", "user", "assistant".
  std::string content;
  /// The ids that were sampled for this content, if it was generated here. They are spliced into
  /// the prompt in place of the encoded text wherever the template passes the content unchanged, so
  /// that what was generated is found in the cache.
  std::vector<TokenId> tokens;
};

/// The prompt tokens of a chat, rendered by the model's template; what asks for BOS is the
/// template. Errors: kTemplate; kInvalidArgument for no messages.
Result<std::vector<TokenId>> chat_prompt(const LoadedModel& model,
                                         std::span<const ChatMessage> messages,
                                         bool add_generation_prompt = true,
                                         std::optional<std::chrono::local_seconds> now = {});

/// Adds the strings that end an answer of a chat with this model to what the user asked for.
void add_turn_stops(const LoadedModel& model, SamplingParams& sampling);

}  // namespace quire
