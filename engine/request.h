#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/chat/chat_history.h"
#include "engine/sampling/logprobs.h"
#include "engine/sampling/sampling_params.h"
#include "engine/scheduler/sequence.h"
#include "engine/tokenizer/tokenizer.h"

namespace quire {

using RequestId = uint64_t;

/// A prompt to be answered. Chats are rendered to tokens by ChatPrompt before they come here.
struct Request {
  std::vector<TokenId> prompt;  ///< Never empty.
  SamplingParams sampling;
  /// The number of tokens at the prompt's end that are the beginning of the answer: the answer
  /// continues with the tokens that it would have without an interruption.
  int answered = 0;
  int adapter = 0;   ///< What Engine::add_adapter returned; 0: the model alone.
  int priority = 0;  ///< Requests with a higher one are scheduled first.
  /// The marks of tool calls are part of the answer's text, although they are special tokens.
  bool shows_tool_calls = false;

  // The owners of the prompt, which decide how long its blocks are stored. 0: none.
  int64_t chat = 0;
  int64_t persona = 0;
  int persona_tokens = 0;           ///< Every chat under the persona begins with these.
  std::vector<int> message_starts;  ///< The first token of each message, ascending; may be empty.

  /// For measurements: the first tokens of the answer, used in place of the sampled ones.
  std::vector<TokenId> forced = {};
};

/// Checks a request for Engine::submit. Errors, with the numbers: kInvalidArgument (an empty
/// prompt, a token outside the vocabulary, bad sampling parameters), kContextOverflow (no room for
/// an answer).
Result<void> validate(const Request& request, int vocab_size, int max_context);

enum class FinishReason {
  kEnd,        ///< The model ended its answer.
  kStop,       ///< A stop string was reached.
  kLength,     ///< max_tokens were produced.
  kContext,    ///< The context, or the whole block pool, is full.
  kCancelled,  ///< cancel() was called.
  kFailed,     ///< The device or the sampler failed; `error` says how.
};
std::string_view finish_reason_name(FinishReason reason);

/// The origin of a prompt's tokens, and times in milliseconds since submit.
struct RequestUsage {
  int prompt_tokens = 0;
  int cached_tokens = 0;  ///< Of the prompt: in the block pool when it was first admitted.
  int disk_tokens = 0;    ///< Of the cached: read back from the prefix store, not computed lately.
  /// Restored from host memory instead of being computed (again): of the prompt, and of what the
  /// sequence held when it was preempted.
  int swapped_tokens = 0;
  int computed_tokens = 0;  ///< Rows computed in all, recomputation after preemption included.
  int output_tokens = 0;
  int drafted_tokens = 0;   ///< Guesses that were computed.
  int accepted_tokens = 0;  ///< Of them: those that were right, each a step less.
  int preemptions = 0;
  PrefixMiss miss;
  double queue_ms = 0.0;        ///< Until first scheduled.
  double first_token_ms = 0.0;  ///< TTFT.
  double total_ms = 0.0;
};

/// What a step did for one request. A request's events come in order; the last one has
/// `finish`.
struct RequestEvent {
  RequestId id = 0;
  std::string text;             ///< Whole UTF-8 characters, never part of a stop string.
  std::vector<TokenId> tokens;  ///< The tokens sampled in this step.
  std::vector<std::vector<TokenLogprob>>
      logprobs;  ///< For each token: the chosen one, then the likeliest.
  std::optional<FinishReason> finish;
  std::string stop;    ///< With kStop: the stop string; empty for a stop token.
  Error error;         ///< With kFailed.
  RequestUsage usage;  ///< So far.
};

}  // namespace quire
