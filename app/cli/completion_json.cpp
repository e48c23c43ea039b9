#include "app/cli/completion_json.h"

#include <nlohmann/json.hpp>

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

Json usage_json(const RequestUsage& usage) {
  return {{"prompt_tokens", usage.prompt_tokens},     {"cached_tokens", usage.cached_tokens},
          {"disk_tokens", usage.disk_tokens},         {"swapped_tokens", usage.swapped_tokens},
          {"computed_tokens", usage.computed_tokens}, {"output_tokens", usage.output_tokens},
          {"preemptions", usage.preemptions},         {"queue_ms", usage.queue_ms},
          {"ttft_ms", usage.first_token_ms},          {"total_ms", usage.total_ms},
          {"tokens_per_s", tokens_per_second(usage)}};
}

Json token_json(const TokenLogprob& token, const Tokenizer& tokenizer) {
  return {{"id", token.id}, {"token", tokenizer.token_piece(token.id)}, {"logprob", token.logprob}};
}

/// One object a token: the chosen one, with the likeliest ones in "top".
Json logprobs_json(const Completion& completion, const Tokenizer& tokenizer) {
  Json list = Json::array();
  for (const std::vector<TokenLogprob>& token : completion.logprobs) {
    if (token.empty()) continue;
    Json entry = token_json(token.front(), tokenizer);
    entry["top"] = Json::array();
    for (size_t i = 1; i < token.size(); ++i) {
      entry["top"].push_back(token_json(token[i], tokenizer));
    }
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

double tokens_per_second(const RequestUsage& usage) {
  const double seconds = (usage.total_ms - usage.first_token_ms) / 1000.0;
  if (usage.output_tokens < 2 || seconds <= 0.0) return 0.0;
  return (usage.output_tokens - 1) / seconds;
}

Json completion_json(const Completion& completion, const std::vector<TokenId>& prompt,
                     const Tokenizer& tokenizer) {
  Json json = {{"text", completion.text},
               {"tokens", completion.tokens},
               {"finish", finish_reason_name(completion.finish)}};
  if (!completion.error.empty()) json["error"] = completion.error;
  json["usage"] = usage_json(completion.usage);
  if (!completion.logprobs.empty()) json["logprobs"] = logprobs_json(completion, tokenizer);
  json["prompt_tokens"] = prompt;
  return json;
}

}  // namespace quire
