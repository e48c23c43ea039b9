#pragma once

#include "tests/engine/engine/engine_test_support.h"

namespace quire {

inline constexpr int kPersonaTokens = 1000;

/// A request of the chat `chat` under one persona: the persona, then `own` tokens.
inline Request chat_request(int64_t chat, const std::vector<TokenId>& own, int max_tokens = 8) {
  return {.prompt = joined(random_tokens(kPersonaTokens, 1), own),
          .sampling = {.temperature = 0.0f,
                       .max_tokens = max_tokens,
                       .num_logprobs = 5,
                       .ignore_eos = true},
          .chat = chat,
          .persona = 77,
          .persona_tokens = kPersonaTokens,
          .message_starts = {0, kPersonaTokens}};
}

/// Tokens and log probabilities, bit for bit.
inline bool same_answer(const Completion& a, const Completion& b) {
  if (a.tokens != b.tokens || a.logprobs.size() != b.logprobs.size()) return false;
  for (size_t i = 0; i < a.logprobs.size(); ++i) {
    for (size_t j = 0; j < a.logprobs[i].size(); ++j) {
      const bool is_same = a.logprobs[i][j].id == b.logprobs[i][j].id &&
                           a.logprobs[i][j].logprob == b.logprobs[i][j].logprob;
      if (!is_same) return false;
    }
  }
  return true;
}

inline Completion answer(Llm& llm, const Request& request) {
  return llm.generate({request}).front();
}

}  // namespace quire
