#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/tokenizer/tokenizer.h"
#include "kernels/base/result.h"

namespace quire {

class Grammar;

/// Added to a token's logit before it is sampled.
struct LogitBias {
  TokenId id = 0;
  float bias = 0.0f;  ///< -100 to 100, as in OpenAI's API.
  bool operator==(const LogitBias&) const = default;
};

/// The most tokens whose log probabilities can be asked for at each step.
inline constexpr int kMaxLogprobs = 100;

/// How an answer is sampled from the logits. The defaults sample from the model's own distribution.
struct SamplingParams {
  float temperature = 1.0f;  ///< 0 is greedy.
  int top_k = 0;             ///< Keep the k likeliest; 0 keeps all.
  float top_p = 1.0f;        ///< Keep the smallest set of at least this probability.
  float min_p = 0.0f;        ///< Drop tokens below this times the likeliest one's probability.
  float repetition_penalty = 1.0f;  ///< > 1 divides positive and multiplies negative logits of seen
                                    ///< tokens (arXiv:1909.05858).
  float presence_penalty = 0.0f;   ///< Subtracted once from each token the answer already contains.
  float frequency_penalty = 0.0f;  ///< Subtracted for each time the answer already contains it.
  uint64_t seed = 0;      ///< Same seed, prompt and model: same answer, whatever runs beside it.
  int max_tokens = 1024;  ///< Length of the answer, in tokens.
  int min_tokens = 0;     ///< The answer is at least so long, whatever would end it before.
  int num_logprobs = -1;  ///< -1: none; 0: the chosen token's; n: and the n likeliest.
  std::vector<std::string> stop;        ///< The answer ends before the first of these strings.
  bool ignore_eos = false;              ///< Continue after an end token (for benchmarks).
  std::vector<TokenId> stop_token_ids;  ///< The answer ends before the first of these tokens.
  std::vector<LogitBias> logit_bias;    ///< Each token at most once.
  /// The language that the answer must be in, of the model's own vocabulary; null: any text.
  std::shared_ptr<const Grammar> grammar;

  bool is_greedy() const { return temperature <= 0.0f; }
};

/// kInvalidArgument naming the field and its range (temperature 0..100, top_p 0 < p <= 1, ...).
Result<void> validate(const SamplingParams& params);

}  // namespace quire
