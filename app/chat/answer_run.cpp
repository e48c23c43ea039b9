#include "app/chat/answer_run.h"

#include <algorithm>
#include <utility>

namespace quire {
namespace {

/// An answer that is cut off loses at most the text since the last checkpoint. The design allows
/// for half a second.
constexpr int kCheckpointIntervalMs = 400;
/// The first checkpoint comes sooner, so that an answer that is cut off early is not empty.
constexpr int kFirstCheckpointMs = 80;

AnswerEnd endOf(FinishReason reason) {
  switch (reason) {
    case FinishReason::kEnd:
      return AnswerEnd::End;
    case FinishReason::kStop:
      return AnswerEnd::Stop;
    case FinishReason::kLength:
      return AnswerEnd::Length;
    case FinishReason::kContext:
      return AnswerEnd::Context;
    case FinishReason::kCancelled:
    case FinishReason::kFailed:
      break;
  }
  return AnswerEnd::CutOff;
}

}  // namespace

AnswerRun::AnswerRun(ChatBackend& backend, StoreWriter& writer, TextClock& clock,
                     quint64 turnTicket, const ChatRequest& request, const MessageRecord& answer,
                     QObject* parent)
    : QObject(parent),
      m_backend(backend),
      m_writer(writer),
      m_clock(clock),
      m_turnTicket(turnTicket),
      m_request(request),
      m_systemTurns(request.turns.value(0).role == QLatin1String("system") ? 1 : 0),
      m_answer(answer),
      m_firstTokenMsBefore(answer.firstTokenMs),
      m_totalMsBefore(answer.totalMs),
      m_draftedBefore(answer.draftedTokens),
      m_acceptedBefore(answer.acceptedTokens) {
  m_checkpointTimer.setSingleShot(true);
  m_checkpointTimer.setInterval(kFirstCheckpointMs);
  connect(&m_checkpointTimer, &QTimer::timeout, this, &AnswerRun::checkpoint);
  connect(&clock, &TextClock::due, this, &AnswerRun::showPending);
  connect(&writer, &StoreWriter::committed, this, &AnswerRun::onCommitted);
  connect(&writer, &StoreWriter::failed, this, &AnswerRun::onFailed);
}

void AnswerRun::setFocused(bool focused) {
  m_request.priority = focused ? kFocusedPriority : kBackgroundPriority;
  if (isSubmitted() && !m_ended) m_backend.setPriority(m_requestId, m_request.priority);
}

void AnswerRun::stop() {
  if (m_ended) return;
  if (isSubmitted()) {
    m_backend.cancel(m_requestId);
  } else {
    m_stopWanted = true;  // Wait for the commit: if it fails, `refused` must report that.
  }
}

void AnswerRun::interrupt() {
  if (m_ended) return;
  m_answer.status = MessageStatus::Interrupted;
  end();
  if (isSubmitted()) m_backend.cancel(m_requestId);
}

void AnswerRun::onCommitted(quint64 ticket) {
  if (ticket != m_turnTicket || isSubmitted() || m_ended) return;
  if (m_stopWanted) {
    m_answer.status = MessageStatus::Stopped;
    return end();
  }
  const auto sink = WindowSink::make(
      this, {.started = [this](const PromptReport& report) { onStarted(report); },
             .tokensSampled = [this](const QList<qint32>& tokens) { onTokensSampled(tokens); },
             .textAppended = [this](const QString& text,
                                    int outputTokens) { onTextAppended(text, outputTokens); },
             .finished = [this](const AnswerReport& report) { onFinished(report); }});
  m_requestId = m_backend.submit(m_request, sink);
  m_request.turns.clear();
  emit submitted();
}

void AnswerRun::onFailed(quint64 ticket, const QString& sentence) {
  if (ticket != m_turnTicket || m_ended) return;
  m_ended = true;
  emit refused(sentence);
}

void AnswerRun::onStarted(const PromptReport& report) {
  if (m_ended) return;
  m_prompt = report;
  applyPrompt(report);
  emit started();
}

void AnswerRun::applyPrompt(const PromptReport& report) {
  m_answer.promptTokens = report.promptTokens;
  m_answer.cachedTokens = report.cachedTokens;
  m_answer.diskTokens = report.diskTokens;
  if (m_fork.isFirst) {
    const int forked = m_fork.tokens > 0 ? m_fork.tokens : report.promptTokens;
    m_answer.forkedTokens = std::min(forked, report.promptTokens);
    m_answer.reusedTokens = std::min(report.cachedTokens, m_answer.forkedTokens);
  }
  m_answer.firstTokenMs = m_firstTokenMsBefore + report.firstTokenMs;
}

void AnswerRun::onTokensSampled(const QList<qint32>& tokens) {
  if (m_ended) return;
  if (!std::exchange(m_hasTokens, true)) m_answer.tokens.clear();
  m_answer.tokens += tokens;
}

void AnswerRun::onTextAppended(const QString& text, int outputTokens) {
  if (m_ended) return;
  m_answer.appendText(text);
  // The ids of a continued answer are those of its earlier text only.
  if (!m_hasTokens) m_answer.tokens.clear();
  m_answer.outputTokens = outputTokens;
  if (!m_checkpointTimer.isActive()) m_checkpointTimer.start();
  m_pending += text;
  if (m_clock.isImmediate()) return showPending();
  m_clock.wake();
}

void AnswerRun::showPending() {
  if (m_pending.isEmpty()) return;
  emit textAppended(std::exchange(m_pending, QString()));
}

void AnswerRun::onFinished(const AnswerReport& report) {
  if (m_ended) return;
  applyFinish(report);
  keepOrigin(report);
  end();
}

void AnswerRun::applyFinish(const AnswerReport& report) {
  // A continued answer that got no more text keeps its tokens and counts.
  if (!report.tokens.isEmpty()) m_answer.tokens = report.tokens;
  if (report.outputTokens > 0) m_answer.outputTokens = report.outputTokens;
  m_answer.draftedTokens = m_draftedBefore + report.draftedTokens;
  m_answer.acceptedTokens = m_acceptedBefore + report.acceptedTokens;
  m_answer.totalMs = m_totalMsBefore + report.totalMs;
  if (report.prompt.promptTokens > 0) applyPrompt(report.prompt);
  m_answer.error = report.error;
  m_answer.status = MessageStatus::Complete;
  if (report.finish == FinishReason::kCancelled) {
    m_answer.status = MessageStatus::Stopped;
  } else if (report.finish == FinishReason::kFailed || !report.error.isEmpty()) {
    m_answer.status = MessageStatus::Failed;
    if (m_answer.error.isEmpty()) m_answer.error = tr("The engine could not complete this answer.");
  } else if (report.finish == FinishReason::kLength) {
    m_answer.error = tr("Reached the maximum answer length.");
  } else if (report.finish == FinishReason::kContext) {
    m_answer.error = tr(
        "Stopped because the model's context is full. Your next message will leave out the oldest "
        "ones.");
  }
}

/// Only an answer of the local engine has an origin; a remote endpoint reports its model alone.
void AnswerRun::keepOrigin(const AnswerReport& report) {
  const AnswerOrigin& origin = report.origin;
  if (!origin.modelFingerprint.isEmpty()) m_answer.modelFingerprint = origin.modelFingerprint;
  if (origin.promptTokens.isEmpty()) return;
  m_origin = OriginRecord{.templateHash = origin.templateHash,
                          .sampling = origin.sampling,
                          .promptTokens = origin.promptTokens,
                          .end = endOf(report.finish),
                          .deviceName = origin.deviceName,
                          .adapterPath = origin.adapterPath};
}

void AnswerRun::checkpoint() {
  m_checkpointTimer.setInterval(kCheckpointIntervalMs);
  m_writer.checkpointAnswer(m_answer.id, m_answer.text(), m_answer.tokens);
}

void AnswerRun::end() {
  showPending();
  m_ended = true;
  m_checkpointTimer.stop();
  m_writer.finishAnswer(m_answer, m_origin);
  emit ended();
}

}  // namespace quire
