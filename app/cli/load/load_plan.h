#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/tokenizer/tokenizer.h"

namespace quire {

/// Short English words, each of which most large vocabularies have as one token.
std::vector<std::string> common_words();

/// What a load generator asks for.
struct TrafficOptions {
  std::string model;  ///< As the endpoint names it.
  bool chat = false;  ///< /chat/completions in place of /completions.
  bool streams = true;
  bool ignores_eos = false;  ///< vLLM's ignore_eos: every answer is as long as asked for.
  int num_requests = 100;
  double rate = 0.0;           ///< Requests a second, at random times; 0: all at once.
  int concurrency = 256;       ///< At most so many at once.
  int prompt_tokens = 512;     ///< The mean.
  int generate_tokens = 128;   ///< The mean.
  int shared_prefix = 0;       ///< Tokens that all prompts begin with; part of prompt_tokens.
  double length_spread = 0.0;  ///< Sigma of log-normal lengths; 0: all are equal.
  uint64_t seed = 0;
  std::vector<std::string> words = common_words();  ///< What prompts without a tokenizer are of.
  std::vector<TokenId> forbidden = {};  ///< Tokens that logit_bias keeps out of answers.
  int overhead_tokens = 0;  ///< Of a prompt beside its words: its beginning, or a chat's template.
};

/// One request as it will be sent.
struct PlannedRequest {
  double at_s = 0.0;  ///< Since the start.
  int prompt_tokens = 0;
  int max_tokens = 0;
  std::string body;
};

/// The requests, the same for the same options on every machine. Arrivals are a Poisson process
/// (exponential gaps, the first one at 0). With a tokenizer prompts are token ids, so that their
/// lengths are exact; without one they are as many words, less the overhead.
std::vector<PlannedRequest> plan_load(const TrafficOptions& options, const Tokenizer* tokenizer);

}  // namespace quire
