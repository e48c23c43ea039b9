#pragma once

#include <QObject>
#include <QTimer>

#include <optional>

#include "app/chat/conversation.h"
#include "app/chat/text_clock.h"
#include "app/engine/window_sink.h"
#include "app/store/store_writer.h"

namespace quire {

/// One running answer: submits it to the backend once its turn is durable, saves checkpoints of the
/// text, emits the text at the clock's pace, and saves the finished record.
///
/// Thread: the window's.
/// Invariants: either `ended` or `refused` is emitted, once; after that the record never changes.
class AnswerRun : public QObject {
  Q_OBJECT

 public:
  /// `turnTicket` is the ticket of the write that makes `answer` durable as a streaming message. A
  /// continued answer (ChatRequest::continueAnswer) keeps its text, and its times are added to.
  AnswerRun(ChatBackend& backend, StoreWriter& writer, TextClock& clock, quint64 turnTicket,
            const ChatRequest& request, const MessageRecord& answer, QObject* parent = nullptr);

  /// The answer so far.
  const MessageRecord& answer() const { return m_answer; }
  bool isSubmitted() const { return m_requestId != 0; }
  int systemTurns() const { return m_systemTurns; }        ///< System turns that begin the request.
  const PromptReport& prompt() const { return m_prompt; }  ///< Set before `started` is emitted.
  void setFocused(bool focused);
  /// For a fork's first answer: its cached tokens were computed in the original chat.
  void noteFork(const ForkedPart& part) { m_fork = part; }
  /// Stops the answer and keeps its text so far. `ended` follows, or `refused` if the turn is not
  /// on disk yet and cannot be written.
  void stop();
  /// Saves the text so far as an interrupted answer without waiting, because the program closes.
  void interrupt();

 signals:
  void submitted();
  void started();
  /// The text since the last signal; all text comes before `ended`.
  void textAppended(const QString& text);
  void ended();
  /// The turn could not be saved and was not submitted; `ended` does not follow.
  void refused(const QString& sentence);

 private:
  void onCommitted(quint64 ticket);
  void onFailed(quint64 ticket, const QString& sentence);
  void onStarted(const PromptReport& report);
  void onTokensSampled(const QList<qint32>& tokens);
  void onTextAppended(const QString& text, int outputTokens);
  void onFinished(const AnswerReport& report);
  void applyPrompt(const PromptReport& report);
  void applyFinish(const AnswerReport& report);
  void keepOrigin(const AnswerReport& report);
  void checkpoint();
  void showPending();
  void end();

  ChatBackend& m_backend;
  StoreWriter& m_writer;
  TextClock& m_clock;
  const quint64 m_turnTicket;
  ChatRequest m_request;
  const int m_systemTurns;
  MessageRecord m_answer;
  QString m_pending;                  ///< The end of its text, not emitted yet.
  const double m_firstTokenMsBefore;  ///< Times of the answer before it was continued.
  const double m_totalMsBefore;
  const int m_draftedBefore;             ///< Guesses computed before it was continued.
  const int m_acceptedBefore;            ///< Of them: those that were right.
  std::optional<OriginRecord> m_origin;  ///< Set at the end, if the backend reports it.
  RequestId m_requestId = 0;             ///< 0: not submitted yet.
  bool m_stopWanted = false;             ///< stop() was called before the turn was committed.
  bool m_hasTokens = false;              ///< The backend reports the ids as they are sampled.
  bool m_ended = false;
  ForkedPart m_fork;
  PromptReport m_prompt;
  QTimer m_checkpointTimer;
};

}  // namespace quire
