#pragma once

#include <QObject>
#include <QSet>
#include <QTimer>

#include <functional>
#include <vector>

#include "app/chat/conversation.h"
#include "app/engine/chat_backend.h"
#include "app/engine/model_manager.h"

namespace quire {

/// Watches how much of the model's context a chat uses and what sending would leave out. The
/// backend is asked 300 ms after the last change, and only if there is a draft or the chat may be
/// near the limit.
///
/// Thread: the window's. The conversation must outlive it.
class ContextWatch : public QObject {
  Q_OBJECT

 public:
  /// `next` returns the requests that sending would make now.
  ContextWatch(ChatBackend& backend, ModelManager& models, const Conversation& conversation,
               std::function<QList<ChatRequest>()> next, QObject* parent = nullptr);

  /// Schedules a new forecast. `draftLength`: characters of the unsent message.
  void look(qsizetype draftLength);
  /// Drops the forecast, because it no longer applies.
  void forget();
  /// Sets how many messages the last prompt left out.
  void setDropped(int droppedMessages) { m_dropped = droppedMessages; }

  int tokens() const;  ///< Tokens of the chat up to the last answer whose prompt was counted.
  double fraction() const;
  QString text() const;  ///< "1,204 / 8,192".

  QString estimate() const;  ///< The cost of sending: "about 12 tokens · 24 to compute".
  QString note() const;      ///< A sentence about what sending would leave out, or empty.
  /// Whether the current text is known to be too long for the model.
  bool isTooLong() const { return !isPending() && isTooLong(m_forecast); }
  /// The same of one of several requests, by its chat.
  bool isTooLongFor(RecordId chat) const { return !isPending() && m_tooLong.contains(chat); }
  bool isWarning() const;  ///< Whether the note concerns an effect of the next message.

 signals:
  void noteChanged();

 private:
  void ask();
  static bool isTooLong(const ContextForecast& forecast);
  bool isPending() const { return m_timer.isActive() || m_numOpen > 0; }
  bool isWorthAsking() const;
  void onForecast(RecordId chat, const ContextForecast& forecast);

  ChatBackend& m_backend;
  ModelManager& m_models;
  const Conversation& m_conversation;
  const std::function<QList<ChatRequest>()> m_next;
  qsizetype m_draftLength = 0;
  int m_dropped = 0;
  std::vector<PendingReply> m_asked;
  int m_numOpen = 0;      ///< Questions of m_asked without a reply.
  ContextForecast m_sum;  ///< Sum of the replies so far.
  ContextForecast m_forecast;
  QSet<RecordId> m_tooLong;  ///< Chats whose replies say so.
  QTimer m_timer;
};

}  // namespace quire
