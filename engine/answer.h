#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <vector>

#include "engine/answer_grammar.h"
#include "engine/chat/channel_marks.h"
#include "engine/model_loader.h"
#include "engine/request.h"
#include "engine/sampling/sample_rows.h"
#include "engine/sampling/stop_matcher.h"
#include "engine/speculation/drafter.h"
#include "engine/tokenizer/stream_decoder.h"

namespace quire {

/// An answer being generated: says how its tokens are sampled, and turns them into text until it
/// ends.
/// Thread: the engine's. Invariants: the text of all its events, joined, holds whole characters and
/// no part of a stop string after the first min_tokens tokens; with a grammar all tokens are those
/// that it allows.
class Answer {
 public:
  Answer(const LoadedModel& model, Request request);

  /// Whether advance() needs the logits that its tokens are sampled from.
  bool wants_logits() const { return m_sampling.num_logprobs >= 0; }
  /// Adds the arguments for sampling the next token, or the one `ahead` tokens later.
  void add_row(SampleRows& rows, int ahead = 0) const;
  /// The same for the token after these drafts, as if they had been accepted.
  void add_row_after(SampleRows& rows, std::span<const TokenId> drafts);
  /// The same for the next token and those after each of the drafts, if they are right.
  void add_rows(SampleRows& rows, std::span<const TokenId> drafts);
  /// Whether the token after the next can be sampled before the next is known: it depends only on
  /// the logits, and the next one does not reach a limit.
  bool can_look_ahead(int max_context) const;

  /// The next token of the answer: the sampled one, unless Request::forced has another for its
  /// place. -1 is always returned as it is.
  TokenId next_token(TokenId sampled) const;
  /// Adds the next token, and the text that it completes, to `event`; -1, of logits that are not
  /// numbers, ends the answer as failed. Returns whether the answer continues; else event.finish
  /// says why it ended. logits: (V), before penalties; empty unless wants_logits().
  bool advance(TokenId sampled, std::span<const float> logits, RequestEvent& event);

  /// Ends the answer early and adds the text that was held back to `event`.
  void end(FinishReason reason, RequestEvent& event);

  /// Records the first admission: `cached_tokens` of the prompt were found, `disk_tokens` of them
  /// were read from disk, and `miss` says why there are no more.
  void mark_scheduled(int cached_tokens, int disk_tokens, const PrefixMiss& miss);
  /// A step computed so many drafts, and so many of them were right.
  void count_drafts(int drafted, int accepted);
  int num_tokens() const { return m_usage.prompt_tokens + m_usage.output_tokens; }
  /// Says how many tokens it may still have beyond the next one, and how they are sampled.
  void describe(DraftRequest& request, int max_context) const;

 private:
  double elapsed_ms() const;
  uint64_t position() const { return m_answered + static_cast<uint64_t>(m_usage.output_tokens); }
  void continue_from(std::span<const TokenId> answered);
  bool is_end_token(TokenId token) const;
  TokenMask without_ends(std::span<const uint32_t> allowed) const;
  void add_row(SampleRows& rows, int ahead, const AnswerGrammar* grammar) const;
  void add_token(TokenId sampled, std::span<const float> logits, RequestEvent& event);

  const LoadedModel* m_model;
  SamplingParams m_sampling;
  std::vector<TokenId> m_ends;    ///< What may not be sampled before min_tokens; else empty.
  std::vector<TokenId> m_forced;  ///< Request::forced.
  uint64_t m_answered = 0;        ///< Tokens of the answer that the prompt ends with.
  TokenHistory m_history;         ///< Empty unless there are penalties.
  StreamDecoder m_decoder;
  ChannelMarks m_channels;
  StopMatcher m_stops;
  std::optional<AnswerGrammar> m_grammar;
  RequestUsage m_usage;
  std::chrono::steady_clock::time_point m_submitted = std::chrono::steady_clock::now();
};

}  // namespace quire
