#include "engine/answer.h"

#include <algorithm>
#include <utility>

#include "engine/sampling/penalties.h"

namespace quire {

Answer::Answer(const LoadedModel& model, Request request)
    : m_model(&model),
      m_sampling(std::move(request.sampling)),
      m_history(has_penalties(m_sampling) ? model.config.vocab_size : 0),
      m_decoder(*model.chat->tokenizer, /*drop_leading_space=*/false),
      m_channels(channel_tokens(*model.chat->tokenizer)),
      m_stops(m_sampling.stop) {
  const auto prompt = std::span<const TokenId>(request.prompt);
  const size_t answered = std::min(static_cast<size_t>(request.answered), prompt.size());
  m_history.add_prompt(prompt.first(prompt.size() - answered));
  continue_from(prompt.last(answered));
  m_usage.prompt_tokens = static_cast<int>(request.prompt.size());
}

/// Decodes the tokens of an interrupted answer again. Their text was already returned, except for
/// an incomplete last character.
void Answer::continue_from(std::span<const TokenId> answered) {
  m_answered = answered.size();
  for (const TokenId id : answered) {
    m_history.add_output(id);
    m_channels.push(id, m_decoder.push(id));
  }
}

void Answer::add_row(SampleRows& rows, int ahead) const {
  rows.add(m_sampling, m_history, position() + static_cast<uint64_t>(ahead));
}

bool Answer::can_look_ahead(int max_context) const {
  return !has_penalties(m_sampling) && m_usage.output_tokens + 1 < m_sampling.max_tokens &&
         num_tokens() + 1 < max_context;
}

Result<SampledToken> Answer::sample(std::span<float> logits, Sampler& sampler) const {
  return sampler.sample(logits, m_sampling, m_history, position());
}

Result<SampledToken> Answer::checked(TokenId id) const {
  if (id < 0) return unsound_logits(position());
  return SampledToken{.id = id};
}

std::optional<TokenId> Answer::advance(const Result<SampledToken>& sampled, RequestEvent& event) {
  if (!sampled) {
    event.error = sampled.error();
    end(FinishReason::kFailed, event);
    return std::nullopt;
  }
  if (is_end_token(sampled->id) && !m_sampling.ignore_eos) {
    end(FinishReason::kEnd, event);
    return std::nullopt;
  }
  add_token(*sampled, event);
  if (m_stops.matched()) {
    event.finish = FinishReason::kStop;
  } else if (m_usage.output_tokens >= m_sampling.max_tokens) {
    end(FinishReason::kLength, event);
  }
  m_usage.total_ms = elapsed_ms();
  event.usage = m_usage;
  if (event.finish) return std::nullopt;
  return sampled->id;
}

void Answer::end(FinishReason reason, RequestEvent& event) {
  event.text += m_stops.push(m_decoder.finish());
  event.text += m_stops.finish();
  event.finish = m_stops.matched() ? FinishReason::kStop : reason;
  m_usage.total_ms = elapsed_ms();
  event.usage = m_usage;
}

void Answer::mark_scheduled(int cached_tokens, int disk_tokens, const PrefixMiss& miss) {
  if (m_usage.queue_ms > 0.0) return;
  m_usage.queue_ms = elapsed_ms();
  m_usage.cached_tokens = cached_tokens;
  m_usage.disk_tokens = disk_tokens;
  m_usage.miss = miss;
}

void Answer::add_token(const SampledToken& sampled, RequestEvent& event) {
  if (m_usage.output_tokens++ == 0) m_usage.first_token_ms = elapsed_ms();
  m_history.add_output(sampled.id);
  event.tokens.push_back(sampled.id);
  event.text += m_stops.push(m_channels.push(sampled.id, m_decoder.push(sampled.id)));
  if (m_sampling.num_logprobs < 0) return;
  std::vector<TokenLogprob> logprobs = {{sampled.id, sampled.logprob}};
  logprobs.insert(logprobs.end(), sampled.top.begin(), sampled.top.end());
  event.logprobs.push_back(std::move(logprobs));
}

bool Answer::is_end_token(TokenId token) const {
  const auto& ends = m_model->config.end_tokens;
  return std::ranges::find(ends, token) != ends.end();
}

double Answer::elapsed_ms() const {
  const auto elapsed = std::chrono::steady_clock::now() - m_submitted;
  return std::chrono::duration<double, std::milli>(elapsed).count();
}

}  // namespace quire
