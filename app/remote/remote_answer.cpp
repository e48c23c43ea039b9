#include "app/remote/remote_answer.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QRandomGenerator>

#include <algorithm>
#include <utility>

namespace quire {
namespace {

constexpr qsizetype kMostBodyBytes = 16 << 20;     ///< Of a whole answer.
constexpr qsizetype kMostRefusalBytes = 64 << 10;  ///< The rest is not read.
constexpr qsizetype kMostCharacters = 8 << 20;     ///< Of an answer.
constexpr qsizetype kMostBytesWithoutText = 16 << 20;
constexpr qint64 kMostWaitMs = 1'000'000'000'000;
constexpr int kMostRedirects = 3;
constexpr QByteArrayView kDone = "[DONE]";

/// The time of a Retry-After header; below 0: there is none.
qint64 waitOf(const QByteArray& header) {
  if (header.isEmpty()) return -1;
  bool isNumber = false;
  const double seconds = header.toDouble(&isNumber);
  if (isNumber) return seconds >= 0.0 && seconds < 1e9 ? static_cast<qint64>(seconds * 1000.0) : -1;
  const QDateTime at = QDateTime::fromString(QString::fromLatin1(header), Qt::RFC2822Date);
  if (!at.isValid()) return -1;
  return std::clamp<qint64>(QDateTime::currentDateTimeUtc().msecsTo(at), 0, kMostWaitMs);
}

bool isWorthRetrying(int status) {
  return status == 429 || status == 502 || status == 503 || status == 504;
}

double speedOf(int tokens, double firstMs, double totalMs) {
  return tokens > 1 && totalMs > firstMs ? (tokens - 1) * 1000.0 / (totalMs - firstMs) : 0.0;
}

}  // namespace

RemoteAnswer::RemoteAnswer(RemoteTask task, const RemoteOptions& options,
                           std::function<void(const ChatDialect&)> onEnded, QObject* parent)
    : QObject(parent),
      m_task(std::move(task)),
      m_options(options),
      m_onEnded(std::move(onEnded)),
      m_dialect(m_task.dialect) {
  m_clock.start();
  m_waiting.setSingleShot(true);
  m_waiting.setTimerType(Qt::PreciseTimer);  // A coarse one may end before Retry-After's time.
  connect(&m_waiting, &QTimer::timeout, this, &RemoteAnswer::attempt);
  m_linger.setSingleShot(true);
  connect(&m_linger, &QTimer::timeout, this, &RemoteAnswer::complete);
  m_url = m_task.endpoint.baseUrl;
  m_url.setPath(m_url.path() + QStringLiteral("/chat/completions"));
  m_report.prompt.chatId = m_task.request.chatId;
  for (const ChatTurn& turn : m_task.request.turns) {
    if (turn.role != QLatin1String("system")) break;
    ++m_report.prompt.systemTurns;
  }
  m_report.origin.modelFingerprint = m_task.request.modelPath;
  if (m_task.request.continueAnswer) m_marks.skipReasoning();
}

RemoteAnswer::~RemoteAnswer() {
  stopCall();
}

void RemoteAnswer::start(const QByteArray& key) {
  if (m_hasEnded) return;
  m_key = key;
  attempt();
}

void RemoteAnswer::fail(const RemoteFailure& failure) {
  end(FinishReason::kFailed, failure);
}

void RemoteAnswer::cancel() {
  end(FinishReason::kCancelled);
}

void RemoteAnswer::stopCall() {
  if (RemoteCall* const call = std::exchange(m_call, nullptr)) {
    call->stop();
    call->deleteLater();  // This may be one of its handlers.
  }
}

void RemoteAnswer::attempt() {
  const ChatBody body = chatBody(m_task.request, m_task.endpoint, m_task.model, m_dialect);
  if (!body.problem.isEmpty()) return fail({body.problem, ErrorCode::kUnsupported});
  ++m_attempts;
  m_head = {};
  m_form = Form::kUnknown;
  m_events = SseReader();
  m_body.clear();
  m_bytesWithoutText = 0;
  m_finish.clear();
  m_isDone = false;
  stopCall();
  const CallRequest request = {.method = "POST",
                               .url = m_url,
                               .key = m_key,
                               .body = body.json,
                               .accept = "text/event-stream, application/json"};
  m_call = new RemoteCall(request, m_options.timeouts,
                          {.head = [this](const ResponseHead& head) { onHead(head); },
                           .body = [this](const QByteArray& bytes) { onBody(bytes); },
                           .ended = [this](const CallEnd& end) { onCallEnded(end); }});
  m_call->setParent(this);
}

void RemoteAnswer::onHead(const ResponseHead& head) {
  m_head = head;
  const QByteArray type = head.header("content-type").toLower();
  if (head.status != 200) {
    m_form = Form::kRefusal;
  } else if (type.startsWith("text/event-stream")) {
    m_form = Form::kEvents;
  } else if (type.startsWith("application/json")) {
    m_form = Form::kWhole;
  } else {
    fail(notTheApi(m_task.endpoint, head.header("content-type"), m_key));
  }
}

void RemoteAnswer::onBody(const QByteArray& bytes) {
  if (m_form == Form::kEvents) {
    m_bytesWithoutText += bytes.size();
    takeEvents(m_events.append(bytes));
    const bool isEndless = m_bytesWithoutText > kMostBytesWithoutText;
    if (!m_hasEnded && (m_events.hasFailed() || isEndless)) {
      fail(failureOf(m_task.endpoint, {.kind = CallEnd::Kind::kNotHttp}));
    }
    return;
  }
  m_body += bytes;
  if (m_form == Form::kWhole && m_body.size() > kMostBodyBytes) {
    return fail(failureOf(m_task.endpoint, {.kind = CallEnd::Kind::kNotHttp}));
  }
  if (m_form == Form::kRefusal && m_body.size() > kMostRefusalBytes) {
    stopCall();
    onCallEnded({.kind = CallEnd::Kind::kComplete});
  }
}

void RemoteAnswer::takeEvents(const QList<SseEvent>& events) {
  for (const SseEvent& event : events) {
    if (m_hasEnded || m_isDone) return;
    if (event.data.trimmed() == kDone) {
      m_isDone = true;
      if (!m_finish.isEmpty()) return complete();
      stopCall();  // llama-cpp-python says so when another request takes its place.
      return endEarly({.kind = CallEnd::Kind::kBroken});
    }
    takeData(event.data);
  }
}

/// Of a stream that ended without the empty line after it; a part of an event is none.
void RemoteAnswer::takeLastEvent() {
  const std::optional<SseEvent> last = m_events.finish();
  if (last && (last->data.trimmed() == kDone || readAnswerChunk(last->data))) takeEvents({*last});
}

void RemoteAnswer::takeData(const QByteArray& json) {
  std::optional<AnswerChunk> chunk = readAnswerChunk(json);
  if (chunk && chunk->error) {
    QByteArray hidden = json;
    hideKey(hidden, m_key);
    chunk = readAnswerChunk(hidden);
  }
  if (chunk) return takeChunk(*chunk);
  fail(errorOf(m_task.endpoint, m_task.model,
               QCoreApplication::translate("quire::RemoteAnswer", "what it sent is not JSON")));
}

void RemoteAnswer::takeChunk(const AnswerChunk& chunk) {
  if (chunk.usage) {
    m_report.prompt.promptTokens = chunk.usage->promptTokens;
    m_report.prompt.cachedTokens = chunk.usage->cachedTokens;
    m_report.outputTokens = chunk.usage->outputTokens;
  }
  emitText(m_marks.add(chunk.reasoning, chunk.text));
  if (m_hasEnded) return;
  if (chunk.error) return fail(errorOf(m_task.endpoint, m_task.model, *chunk.error));
  if (chunk.finish.isEmpty() || !m_finish.isEmpty()) return;
  m_finish = chunk.finish;
  m_linger.start(m_options.lingerMs);
}

void RemoteAnswer::emitText(const QString& text) {
  if (text.isEmpty()) return;
  m_bytesWithoutText = 0;
  m_characters += text.size();
  if (m_characters > kMostCharacters) {
    return fail({QCoreApplication::translate(
                     "quire::RemoteAnswer",
                     "The answer of %1 is longer than Quire takes, so it was stopped.")
                     .arg(m_task.endpoint.name),
                 ErrorCode::kIo});
  }
  begin();
  ++m_numDeltas;
  m_task.sink->textAppended(text, std::max(m_numDeltas, m_report.outputTokens));
}

void RemoteAnswer::begin() {
  if (std::exchange(m_hasBegun, true)) return;
  m_report.prompt.firstTokenMs = static_cast<double>(m_clock.elapsed());
  m_task.sink->started(m_report.prompt);
}

void RemoteAnswer::onCallEnded(const CallEnd& end) {
  stopCall();
  if (m_hasEnded) return;
  const bool isWhole = end.kind == CallEnd::Kind::kComplete;
  if (m_form == Form::kRefusal) return onRefused();
  if (m_form == Form::kWhole && isWhole) {
    takeData(m_body);
    return complete();
  }
  if (isWhole) takeLastEvent();
  if (m_hasEnded || m_isDone) return;
  if (!m_finish.isEmpty()) return complete();
  endEarly(end);
}

/// Of an answer that has no end: its text is kept, or it is asked for again if it has none.
void RemoteAnswer::endEarly(const CallEnd& end) {
  if (hasText()) return fail(cutOff(m_task.endpoint, end));
  const bool mayHelp =
      end.kind == CallEnd::Kind::kComplete || end.kind == CallEnd::Kind::kUnreachable ||
      end.kind == CallEnd::Kind::kConnectTimeout || end.kind == CallEnd::Kind::kBroken;
  if (mayHelp) return retryOr(failureOf(m_task.endpoint, end));
  fail(failureOf(m_task.endpoint, end));
}

void RemoteAnswer::onRefused() {
  if (m_head.status >= 300 && m_head.status < 400) return onRedirected();
  hideKey(m_body, m_key);
  const bool isOfFields = m_head.status == 400 || m_head.status == 422;
  if (isOfFields && m_dialect.learnFrom(m_body)) {
    --m_attempts;
    return attempt();
  }
  const RemoteFailure failure = refusalOf(m_task.endpoint, m_task.model, m_head.status, m_body);
  if (!isWorthRetrying(m_head.status)) return fail(failure);
  const qint64 waitMs = waitOf(m_head.header("retry-after"));
  if (waitMs > m_options.longestWaitMs) return fail(busyFor(m_task.endpoint, waitMs / 1000));
  retryOr(failure, waitMs);
}

/// Only these statuses keep the method and the body.
void RemoteAnswer::onRedirected() {
  const QUrl target =
      m_url.resolved(QUrl(QString::fromLatin1(m_head.header("location")), QUrl::StrictMode));
  const bool keepsBody = m_head.status == 307 || m_head.status == 308;
  if (!keepsBody || !mayFollow(m_url, target) || ++m_redirects > kMostRedirects) {
    return fail(redirected(m_task.endpoint, target, m_key));
  }
  m_url = target;
  --m_attempts;
  attempt();
}

/// Sends the request again after `waitMs`, or a random time that grows, unless it was sent often
/// enough.
void RemoteAnswer::retryOr(const RemoteFailure& failure, qint64 waitMs) {
  if (m_attempts >= m_options.attempts) return fail(failure);
  const double most = m_options.firstWaitMs * static_cast<double>(1 << (m_attempts - 1));
  const double random = 0.5 + 0.5 * QRandomGenerator::global()->generateDouble();
  const auto backoff = static_cast<qint64>(most * random);
  m_waiting.start(static_cast<int>(std::max(waitMs, backoff)));
}

void RemoteAnswer::complete() {
  if (m_hasEnded) return;
  emitText(m_marks.close());
  if (m_hasEnded) return;
  if (m_finish == QLatin1String("content_filter")) {
    return fail(
        {QCoreApplication::translate("quire::RemoteAnswer", "A filter of %1 stopped this answer.")
             .arg(m_task.endpoint.name),
         ErrorCode::kUnsupported});
  }
  end(m_finish == QLatin1String("length") ? FinishReason::kLength : FinishReason::kEnd);
}

void RemoteAnswer::end(FinishReason finish, const RemoteFailure& failure) {
  if (std::exchange(m_hasEnded, true)) return;
  stopCall();
  m_waiting.stop();
  m_linger.stop();
  const bool isWhole = finish != FinishReason::kCancelled && finish != FinishReason::kFailed;
  if (isWhole) begin();
  m_report.finish = finish;
  m_report.error = failure.sentence;
  if (finish == FinishReason::kFailed) m_report.errorCode = failure.code;
  if (m_report.outputTokens == 0) m_report.outputTokens = m_numDeltas;
  m_report.totalMs = static_cast<double>(m_clock.elapsed());
  m_report.tokensPerSecond =
      speedOf(m_report.outputTokens, m_report.prompt.firstTokenMs, m_report.totalMs);
  m_task.sink->finished(m_report);
  m_onEnded(m_dialect);
}

}  // namespace quire
