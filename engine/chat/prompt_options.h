#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace quire {

/// What a chat template reads beside the messages.
struct PromptOptions {
  bool add_generation_prompt = true;
  std::string tools = {};  ///< JSON: an array of tools in the format of OpenAI's API; empty: none.
  /// JSON: an object of further variables ("enable_thinking", "reasoning_effort"); empty: none.
  /// Those above and names of tokens ("eos_token") are refused.
  std::string variables = {};
  std::optional<std::chrono::local_seconds> now = {};  ///< What strftime_now shows; none: now.
};

}  // namespace quire
