#include "app/engine/answer_stream.h"

#include <algorithm>

#include "app/error_strings.h"

namespace quire {

double tokensPerSecond(int outputTokens, double firstTokenMs, double totalMs) {
  const bool several = outputTokens > 1;
  const double ms = several ? totalMs - firstTokenMs : totalMs;
  if (outputTokens < 1 || ms <= 0.0) return 0.0;
  return (several ? outputTokens - 1 : outputTokens) * 1000.0 / ms;
}

AnswerStream::AnswerStream(std::shared_ptr<AnswerSink> sink, AnswerSource source)
    : m_sink(std::move(sink)),
      m_tokenizer(std::move(source.tokenizer)),
      // The window shows what an answer goes on from as a part of it. For other callers, who keep
      // no chat, it is a part of the prompt, as in other servers' counts.
      m_numAnswered(source.chatId == 0 ? 0 : static_cast<int>(source.answered.size())) {
  m_report.origin = std::move(source.origin);
  m_report.tokens = std::move(source.answered);
  m_report.prompt = {.droppedMessages = source.droppedMessages,
                     .chatId = source.chatId,
                     .systemTurns = source.systemTurns};
}

void AnswerStream::takeUsage(const RequestUsage& usage) {
  m_report.outputTokens = usage.output_tokens + m_numAnswered;
  m_report.draftedTokens = usage.drafted_tokens;
  m_report.acceptedTokens = usage.accepted_tokens;
  m_report.totalMs = usage.total_ms;
  PromptReport& prompt = m_report.prompt;
  prompt.promptTokens = usage.prompt_tokens - m_numAnswered;
  prompt.cachedTokens = std::min(usage.cached_tokens, prompt.promptTokens);
  prompt.diskTokens = std::min(usage.disk_tokens, prompt.promptTokens);
  prompt.firstTokenMs = usage.first_token_ms;
  prompt.queueMs = usage.queue_ms;
  prompt.miss = usage.miss;
  // The engine counts the messages that were sent, the window those of the whole chat.
  if (prompt.miss.message >= prompt.systemTurns) prompt.miss.message += prompt.droppedMessages;
}

TokenChance AnswerStream::chanceOf(const TokenLogprob& token) const {
  const std::string_view bytes = m_tokenizer->token_bytes(token.id);
  return {.id = token.id,
          .bytes = QByteArray(bytes.data(), static_cast<qsizetype>(bytes.size())),
          .logprob = token.logprob};
}

void AnswerStream::takeLogprobs(const RequestEvent& event) {
  if (event.logprobs.empty() || !m_tokenizer) return;
  QList<TokenChances> tokens;
  for (const std::vector<TokenLogprob>& logprobs : event.logprobs) {
    TokenChances& token = tokens.emplace_back();
    for (const TokenLogprob& logprob : logprobs) {
      if (&logprob == &logprobs.front()) {
        token.sampled = chanceOf(logprob);
      } else {
        token.likeliest.append(chanceOf(logprob));
      }
    }
  }
  m_sink->logprobsComputed(tokens);
}

bool AnswerStream::take(const RequestEvent& event) {
  takeUsage(event.usage);
  m_report.tokens.append(QList<qint32>(event.tokens.begin(), event.tokens.end()));
  if (event.usage.output_tokens > 0) start();
  takeLogprobs(event);
  if (!event.text.empty()) {
    m_sink->tokensSampled(m_report.tokens.sliced(m_numPassed));
    m_numPassed = m_report.tokens.size();
    m_sink->textAppended(QString::fromStdString(event.text), m_report.outputTokens);
  }
  if (!event.finish) return false;
  m_report.stop = QString::fromStdString(event.stop);
  end(*event.finish, errorText(event.error), event.error.code);
  return true;
}

void AnswerStream::end(FinishReason finish, const QString& error, ErrorCode code) {
  // The prompt of an answer without tokens was computed, too.
  const bool ended = finish != FinishReason::kCancelled && finish != FinishReason::kFailed;
  if (ended) start();
  m_report.finish = finish;
  m_report.error = error;
  m_report.errorCode = code;
  m_report.tokensPerSecond = tokensPerSecond(m_report.outputTokens - m_numAnswered,
                                             m_report.prompt.firstTokenMs, m_report.totalMs);
  m_sink->finished(m_report);
}

void AnswerStream::start() {
  if (m_started) return;
  m_started = true;
  m_sink->started(m_report.prompt);
}

}  // namespace quire
