#pragma once

#include "app/cli/cli_options.h"

namespace quire {

/// The input of `generate`; exactly one of the first three is given.
struct GenerateInput {
  std::optional<std::string> prompt;    ///< "-" is stdin without one newline at its end.
  std::optional<std::string> messages;  ///< A file of chats, one JSON object a line; "-" is stdin.
  std::vector<TokenId> tokens;
  bool chat = false;  ///< The prompt is a user's message in the model's template.
  std::string system;
};

/// One prompt as the model reads it. Plain text and token ids belong to no persona.
struct Prompt {
  ChatPrompt content;
  int64_t persona = 0;  ///< The number of its system prompt, from 1; 0: none.
};
using Prompts = std::vector<Prompt>;

/// The prompts in order: a single one, or one for each line of the file.
/// Errors: a file that cannot be read, a line that is not a chat (with its number), kTemplate.
Result<Prompts> read_prompts(const GenerateInput& input, const LoadedModel& model);

/// Plain text as tokens, with BOS where the model's files ask for it.
std::vector<TokenId> encode_plain(const Tokenizer& tokenizer, std::string_view text);

}  // namespace quire
