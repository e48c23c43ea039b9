#pragma once

#include <QObject>
#include <QTimer>

#include <optional>

#include "app/chat_backend.h"
#include "app/store/store_writer.h"

namespace quire {

/// One answer from the moment its turn is queued for the disk until its last state is: submits it
/// to the backend once the turn is durable, checkpoints the text while it grows, completes the
/// record.
///
/// Thread: the window's.
/// Invariants: `ended` comes exactly once, after which the record never changes.
class AnswerRun : public QObject {
  Q_OBJECT

 public:
  /// `turnTicket`: of the StoreWriter::beginTurn that holds `answer`.
  AnswerRun(ChatBackend& backend, StoreWriter& writer, quint64 turnTicket,
            const ChatRequest& request, const MessageRecord& answer, QObject* parent = nullptr);

  /// The answer as far as it has come.
  const MessageRecord& answer() const { return m_answer; }
  bool isSubmitted() const { return m_requestId != 0; }
  RequestId requestId() const { return m_requestId; }  ///< 0: not submitted yet.
  void setFocused(bool focused);
  /// Ends the answer with what there is; `ended` follows, or `refused` if the turn is not on disk
  /// yet and cannot be written.
  void stop();
  /// The program is closing: keeps the text so far as an interrupted answer, without waiting.
  void interrupt();

 signals:
  void submitted();
  void started();
  void textAppended(const QString& text);
  void ended();
  /// The turn could not be written, so it was never asked; `ended` does not follow.
  void refused(const QString& sentence);

 private:
  void onCommitted(quint64 ticket);
  void onFailed(quint64 ticket, const QString& sentence);
  void onStarted(RequestId id, const PromptReport& report);
  void onTextAppended(RequestId id, const QString& text, int outputTokens);
  void onFinished(RequestId id, const AnswerReport& report);
  void applyFinish(const AnswerReport& report);
  void keepOrigin(const AnswerReport& report);
  void checkpoint();
  void end();

  ChatBackend& m_backend;
  StoreWriter& m_writer;
  const quint64 m_turnTicket;
  ChatRequest m_request;
  MessageRecord m_answer;
  std::optional<OriginRecord> m_origin;  ///< Known when it has ended, if the backend tells it.
  RequestId m_requestId = 0;
  bool m_stopWanted = false;  ///< Before the turn was committed.
  bool m_ended = false;
  QTimer m_checkpointTimer;
};

}  // namespace quire
