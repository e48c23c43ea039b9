#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <functional>
#include <memory>

#include "app/remote/answer_chunk.h"
#include "app/remote/chat_body.h"
#include "app/remote/remote_failure.h"
#include "app/remote/remote_options.h"
#include "app/remote/sse_reader.h"
#include "app/remote/thought_marks.h"

namespace quire {

/// One request to an endpoint, and what its answer is made from.
struct RemoteTask {
  ChatRequest request;
  std::shared_ptr<AnswerSink> sink;
  RemoteEndpoint endpoint;
  QString model;
  ChatDialect dialect;
};

/// Sends a chat to an endpoint and passes its answer to the sink as it streams in. A request that
/// has no text yet is sent again where that may help; a broken answer keeps its text.
///
/// Thread: that of its creation, which has an event loop. It does not block.
/// Invariants: the sink gets `finished` once; `onEnded` is called after it, and then nothing more.
class RemoteAnswer : public QObject {
 public:
  /// `onEnded` gets the dialect as it was learned.
  RemoteAnswer(RemoteTask task, const RemoteOptions& options,
               std::function<void(const ChatDialect&)> onEnded, QObject* parent);
  ~RemoteAnswer() override;

  void start(const QByteArray& key);
  void fail(const RemoteFailure& failure);
  void cancel();

 private:
  enum class Form { kUnknown, kEvents, kWhole, kRefusal };

  void attempt();
  void onHead(const ResponseHead& head);
  void onBody(const QByteArray& bytes);
  void onCallEnded(const CallEnd& end);
  void endEarly(const CallEnd& end);
  void onRefused();
  void onRedirected();
  void takeEvents(const QList<SseEvent>& events);
  void takeLastEvent();
  void takeData(const QByteArray& json);
  void takeChunk(const AnswerChunk& chunk);
  void emitText(const QString& text);
  void retryOr(const RemoteFailure& failure, qint64 waitMs = 0);
  void complete();
  void end(FinishReason finish, const RemoteFailure& failure = {});
  void begin();
  bool hasText() const { return m_numDeltas > 0; }
  void stopCall();

  const RemoteTask m_task;
  const RemoteOptions m_options;
  const std::function<void(const ChatDialect&)> m_onEnded;
  ChatDialect m_dialect;
  QByteArray m_key;
  QUrl m_url;
  RemoteCall* m_call = nullptr;
  int m_attempts = 0;
  int m_redirects = 0;
  QElapsedTimer m_clock;
  QTimer m_waiting;  ///< For the next attempt.
  QTimer m_linger;   ///< For what follows the end of the answer.

  // Of the attempt that runs.
  ResponseHead m_head;
  Form m_form = Form::kUnknown;
  SseReader m_events;
  QByteArray m_body;                 ///< Of a whole answer or a refusal.
  qsizetype m_bytesWithoutText = 0;  ///< Of events since the last text: comments, counts.
  QString m_finish;                  ///< The endpoint's finish_reason; empty: it goes on.
  bool m_isDone = false;             ///< The endpoint has said that nothing follows.

  ThoughtMarks m_marks;
  AnswerReport m_report;
  qsizetype m_characters = 0;
  int m_numDeltas = 0;
  bool m_hasBegun = false;
  bool m_hasEnded = false;
};

}  // namespace quire
