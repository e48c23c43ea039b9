#include "engine/answer.h"

#include <algorithm>
#include <utility>

#include "engine/chat/tool_calls.h"
#include "engine/io/text.h"
#include "engine/sampling/penalties.h"

namespace quire {
namespace {

Error unsound_logits(const std::string& model, uint64_t position) {
  return make_error(ErrorCode::kDevice,
                    "The logits of %1 for token %2 are not numbers: its weights or the device may "
                    "be damaged. Download it again, or choose the device \"cpu\".",
                    {for_message(model), std::to_string(position)});
}

Error unfit_beginning() {
  return {ErrorCode::kInvalidArgument,
          "The answer that is to be continued does not fit the format that was asked for; change "
          "its beginning, or leave the format out."};
}

Error no_fitting_token(uint64_t position) {
  return {ErrorCode::kInvalidArgument,
          "The answer cannot continue in the format that was asked for: nothing in the model's "
          "vocabulary fits after its first " +
              std::to_string(position) + " tokens. Choose another format, or another model."};
}

}  // namespace

Answer::Answer(const LoadedModel& model, Request request)
    : m_model(&model),
      m_sampling(std::move(request.sampling)),
      m_forced(std::move(request.forced)),
      m_history(has_penalties(m_sampling) ? model.config.vocab_size : 0),
      m_decoder(*model.chat->tokenizer, /*drop_leading_space=*/false),
      m_channels(channel_tokens(*model.chat->tokenizer), request.shows_tool_calls),
      m_stops(m_sampling.stop) {
  if (request.shows_tool_calls) m_decoder.show(tool_call_tokens(*model.chat->tokenizer));
  const auto prompt = std::span<const TokenId>(request.prompt);
  const size_t answered = std::min(static_cast<size_t>(request.answered), prompt.size());
  m_history.add_prompt(prompt.first(prompt.size() - answered));
  if (m_sampling.grammar) {
    m_grammar.emplace(m_sampling.grammar, *model.chat->tokenizer,
                      prompt.first(prompt.size() - answered));
  }
  continue_from(prompt.last(answered));
  m_usage.prompt_tokens = static_cast<int>(request.prompt.size());
  if (m_sampling.min_tokens == 0) return;
  m_ends = m_sampling.stop_token_ids;
  m_ends.insert(m_ends.end(), model.config.end_tokens.begin(), model.config.end_tokens.end());
}

/// Decodes the tokens of an interrupted answer again. Their text was already returned, except for
/// an incomplete last character.
void Answer::continue_from(std::span<const TokenId> answered) {
  m_answered = answered.size();
  for (const TokenId id : answered) {
    m_history.add_output(id);
    m_channels.push(id, m_decoder.push(id));
    if (m_grammar) m_grammar->advance(id);
  }
}

void Answer::add_row(SampleRows& rows, int ahead) const {
  add_row(rows, ahead, m_grammar ? &*m_grammar : nullptr);
}

/// `grammar`: at that token; null without one.
void Answer::add_row(SampleRows& rows, int ahead, const AnswerGrammar* grammar) const {
  const auto mask = grammar ? grammar->mask() : nullptr;
  auto allowed = mask ? std::span<const uint32_t>(*mask) : std::span<const uint32_t>();
  TokenMask going_on;
  if (m_usage.output_tokens + ahead < m_sampling.min_tokens) {
    going_on = without_ends(allowed);
    allowed = going_on;
  }
  rows.add(m_sampling, m_history, position() + static_cast<uint64_t>(ahead), allowed);
}

/// Of the allowed tokens, where none means all, those that do not end the answer; all of the
/// allowed, if a grammar has nothing left but the end.
TokenMask Answer::without_ends(std::span<const uint32_t> allowed) const {
  const int vocab_size = m_model->config.vocab_size;
  TokenMask mask(allowed.begin(), allowed.end());
  if (mask.empty()) {
    mask = empty_mask(vocab_size);
    std::ranges::fill(mask, ~0u);
  }
  for (const TokenId id : m_ends) {
    if (id >= 0 && id < vocab_size) remove_token(mask, id);
  }
  return is_empty(mask) ? TokenMask(allowed.begin(), allowed.end()) : mask;
}

void Answer::add_row_after(SampleRows& rows, std::span<const TokenId> drafts) {
  const auto mark = m_history.mark();
  std::optional<AnswerGrammar> grammar = m_grammar;
  for (const TokenId draft : drafts) {
    m_history.add_output(draft);
    if (grammar) grammar->advance(draft);
  }
  add_row(rows, static_cast<int>(drafts.size()), grammar ? &*grammar : nullptr);
  m_history.undo(drafts, mark);
}

void Answer::add_rows(SampleRows& rows, std::span<const TokenId> drafts) {
  add_row(rows);
  if (drafts.empty()) return;
  const auto mark = m_history.mark();
  std::optional<AnswerGrammar> grammar = m_grammar;
  for (size_t i = 0; i < drafts.size(); ++i) {
    m_history.add_output(drafts[i]);
    if (grammar) grammar->advance(drafts[i]);
    add_row(rows, static_cast<int>(i) + 1, grammar ? &*grammar : nullptr);
  }
  m_history.undo(drafts, mark);
}

void Answer::describe(DraftRequest& request, int max_context) const {
  const int left = m_sampling.max_tokens - m_usage.output_tokens;
  request.most = std::min(left, max_context - num_tokens()) - 1;
  request.sampling = &m_sampling;
  request.vocab_size = m_model->config.vocab_size;
  request.answered = static_cast<int>(position());
}

void Answer::count_drafts(int drafted, int accepted) {
  m_usage.drafted_tokens += drafted;
  m_usage.accepted_tokens += accepted;
}

bool Answer::can_look_ahead(int max_context) const {
  return !has_penalties(m_sampling) && !wants_logits() && m_forced.empty() && !m_grammar &&
         m_usage.output_tokens + 1 < m_sampling.max_tokens && num_tokens() + 1 < max_context;
}

TokenId Answer::next_token(TokenId sampled) const {
  const auto at = static_cast<size_t>(m_usage.output_tokens);
  return sampled >= 0 && at < m_forced.size() ? m_forced[at] : sampled;
}

bool Answer::advance(TokenId sampled, std::span<const float> logits, RequestEvent& event) {
  if (sampled < 0) {
    event.error = unsound_logits(m_model->config.name, position());
    end(FinishReason::kFailed, event);
    return false;
  }
  if (m_grammar && m_grammar->is_broken()) {
    event.error = unfit_beginning();
    end(FinishReason::kFailed, event);
    return false;
  }
  if (is_end_token(sampled) && (m_grammar || !m_sampling.ignore_eos)) {
    end(FinishReason::kEnd, event);
    return false;
  }
  if (std::ranges::find(m_sampling.stop_token_ids, sampled) != m_sampling.stop_token_ids.end()) {
    end(FinishReason::kStop, event);
    return false;
  }
  if (m_grammar) m_grammar->advance(sampled);
  if (m_grammar && m_grammar->is_broken()) {
    event.error = no_fitting_token(position());
    end(FinishReason::kFailed, event);
    return false;
  }
  add_token(sampled, logits, event);
  if (m_stops.matched()) {
    event.finish = FinishReason::kStop;
    event.stop = m_stops.matched_stop();
  } else if (m_grammar && m_grammar->is_finished()) {
    end(FinishReason::kEnd, event);  // The end token would be the only one to sample.
  } else if (m_usage.output_tokens >= m_sampling.max_tokens) {
    end(FinishReason::kLength, event);
  }
  m_usage.total_ms = elapsed_ms();
  event.usage = m_usage;
  return !event.finish;
}

void Answer::end(FinishReason reason, RequestEvent& event) {
  event.text += m_stops.push(m_decoder.finish());
  event.text += m_stops.finish();
  event.finish = m_stops.matched() ? FinishReason::kStop : reason;
  event.stop = m_stops.matched_stop();
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

void Answer::add_token(TokenId sampled, std::span<const float> logits, RequestEvent& event) {
  const bool may_stop = m_usage.output_tokens >= m_sampling.min_tokens;
  if (m_usage.output_tokens++ == 0) m_usage.first_token_ms = elapsed_ms();
  m_history.add_output(sampled);
  event.tokens.push_back(sampled);
  std::string text = m_channels.push(sampled, m_decoder.push(sampled));
  event.text += may_stop ? m_stops.push(text) : text;
  if (!wants_logits()) return;
  event.logprobs.push_back(compute_logprobs(logits, sampled, m_sampling.num_logprobs));
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
