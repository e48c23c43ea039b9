#pragma once

#include <QObject>
#include <QTimer>

#include <functional>
#include <vector>

#include "app/chat/conversation.h"
#include "app/engine/chat_backend.h"
#include "app/engine/model_manager.h"

namespace quire {

/// How much of the model's context a chat uses, and what sending would leave out. The backend is
/// asked 300 ms after the last change, and only if the chat may be near the limit.
///
/// Thread: the window's. The conversation must outlive it.
class ContextWatch : public QObject {
  Q_OBJECT

 public:
  /// `next` returns the requests that sending would make now.
  ContextWatch(ChatBackend& backend, ModelManager& models, const Conversation& conversation,
               std::function<QList<ChatRequest>()> next, QObject* parent = nullptr);

  /// Something that would be sent has changed. `draftLength`: characters of the unsent message.
  void look(qsizetype draftLength);
  /// Drops the forecast, because the chat was sent.
  void forget();
  /// What the last prompt left out, from its report.
  void setDropped(int droppedMessages) { m_dropped = droppedMessages; }

  int tokens() const;  ///< Of the chat so far, as far as the backend counted them.
  double fraction() const;
  QString text() const;  ///< "1,204 / 8,192".

  QString estimate() const;  ///< What sending costs: "about 12 tokens · 24 to compute".
  QString note() const;      ///< What sending would leave out, in a sentence; empty for nothing.
  /// Known to be too long for the model, as it is now.
  bool isTooLong() const { return !isPending() && foreseesTooLong(); }
  bool isWarning() const;  ///< The note is of something that the next message brings about.

 signals:
  void noteChanged();

 private:
  void ask();
  bool foreseesTooLong() const;
  bool isPending() const { return m_timer.isActive() || m_numOpen > 0; }
  bool isWorthAsking() const;
  void onForecast(const ContextForecast& forecast);

  ChatBackend& m_backend;
  ModelManager& m_models;
  const Conversation& m_conversation;
  const std::function<QList<ChatRequest>()> m_next;
  qsizetype m_draftLength = 0;
  int m_dropped = 0;
  std::vector<PendingReply> m_asked;
  int m_numOpen = 0;      ///< Of m_asked: without a reply.
  ContextForecast m_sum;  ///< Of the replies so far.
  ContextForecast m_forecast;
  QTimer m_timer;
};

}  // namespace quire
