#include "engine/chat/end_tokens.h"

#include <algorithm>

#include "engine/tokenizer/gguf_tokenizer.h"

namespace quire {
namespace {

constexpr std::string_view kTurnMarks[] = {"<|im_end|>",    "<|eot_id|>", "<|end|>", "<|eom_id|>",
                                           "<end_of_turn>", "<|return|>", "<|call|>"};

/// Where answers have channels (gpt-oss), this mark ends one of them and not the answer.
std::optional<TokenId> channel_end(const Tokenizer& tokenizer) {
  const bool has_channels =
      tokenizer.special_token("<|channel|>") && tokenizer.special_token("<|return|>");
  return has_channels ? tokenizer.special_token("<|end|>") : std::nullopt;
}

}  // namespace

std::vector<TokenId> find_end_tokens(const ModelConfig& config, const Tokenizer& tokenizer,
                                     const GgufFile* gguf, std::string_view template_source) {
  std::vector<TokenId> ends = config.end_tokens;
  const auto add = [&](std::optional<TokenId> token) {
    if (token && std::find(ends.begin(), ends.end(), *token) == ends.end()) ends.push_back(*token);
  };
  add(tokenizer.eos_token());
  const std::optional<TokenId> spared = channel_end(tokenizer);
  const auto add_guessed = [&](std::optional<TokenId> token) {
    if (token != spared) add(token);
  };
  if (gguf != nullptr) {
    for (const TokenId token : gguf_end_tokens(*gguf)) add_guessed(token);
  }
  for (const std::string_view mark : kTurnMarks) {
    if (template_source.find(mark) != template_source.npos) {
      add_guessed(tokenizer.special_token(mark));
    }
  }
  return ends;
}

}  // namespace quire
