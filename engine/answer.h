#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <vector>

#include "engine/chat/channel_marks.h"
#include "engine/model_loader.h"
#include "engine/request.h"
#include "engine/sampling/sample_rows.h"
#include "engine/sampling/sampler.h"
#include "engine/sampling/stop_matcher.h"
#include "engine/tokenizer/stream_decoder.h"

namespace quire {

/// An answer in the making: draws tokens from logits and turns them into text, until something ends
/// it. Thread: the engine's. Invariants: the text of all its events, joined, holds whole characters
/// and no part of a stop string.
class Answer {
 public:
  Answer(const LoadedModel& model, Request request);

  /// Whether a device may draw its tokens; otherwise their logits are wanted here.
  bool is_drawn_anywhere() const { return m_sampling.num_logprobs < 0; }
  /// Says how a device draws the next token, or the one after `ahead` more.
  void add_row(SampleRows& rows, int ahead = 0) const;
  /// Whether the token after the next can be asked for before the next is known: it depends on
  /// nothing but the logits, and the next is not the last for its number.
  bool can_look_ahead(int max_context) const;
  /// Draws the next token from its logits (V), which are modified, with `sampler`, whose scratch
  /// memory all answers share.
  Result<SampledToken> draw(std::span<float> logits, Sampler& sampler) const;
  /// What a device drew: a token, or -1 for logits that it could not draw from.
  Result<SampledToken> drawn(TokenId id) const;

  /// Adds the token that was drawn, and the text that it completes, to `event`. Returns the token
  /// if the answer goes on; else event.finish says why.
  std::optional<TokenId> advance(const Result<SampledToken>& sampled, RequestEvent& event);

  /// Ends it from outside; the text that was held back comes with the event.
  void end(FinishReason reason, RequestEvent& event);

  /// The first rows were scheduled; `cached_tokens` of the prompt needed none, `disk_tokens` of
  /// these because they were read back, and `miss` says why there are no more.
  void mark_scheduled(int cached_tokens, int disk_tokens, const PrefixMiss& miss);
  RequestUsage usage() const { return m_usage; }
  int num_tokens() const { return m_usage.prompt_tokens + m_usage.output_tokens; }

 private:
  double elapsed_ms() const;
  uint64_t position() const { return m_answered + static_cast<uint64_t>(m_usage.output_tokens); }
  void go_on_from(std::span<const TokenId> answered);
  bool is_end_token(TokenId token) const;
  void add_token(const SampledToken& sampled, RequestEvent& event);

  const LoadedModel* m_model;
  SamplingParams m_sampling;
  uint64_t m_answered = 0;  ///< Tokens of the answer that the prompt ends with.
  TokenHistory m_history;   ///< Empty unless there are penalties.
  StreamDecoder m_decoder;
  ChannelMarks m_channels;
  StopMatcher m_stops;
  RequestUsage m_usage;
  std::chrono::steady_clock::time_point m_submitted = std::chrono::steady_clock::now();
};

}  // namespace quire
