#pragma once

#include <QObject>
#include <QTimer>

#include <functional>
#include <optional>

#include "app/chat/conversation.h"
#include "app/engine/chat_backend.h"
#include "app/engine/model_manager.h"

namespace quire {

/// How much of the model's context a chat takes, and what sending it would leave out. The backend
/// is asked a moment after the chat last changed, and only if the chat may be near the limit.
///
/// Thread: the window's. The conversation must outlive it.
class ContextWatch : public QObject {
  Q_OBJECT

 public:
  /// `next` is what sending would ask now.
  ContextWatch(ChatBackend& backend, ModelManager& models, const Conversation& conversation,
               std::function<ChatRequest()> next, QObject* parent = nullptr);

  /// Something that would be sent has changed. `draftLength`: characters of the unsent message.
  void look(qsizetype draftLength);
  /// The chat was sent: what was foretold is no longer to come.
  void forget();
  /// What the last prompt left out, from its report.
  void setDropped(int droppedMessages);

  int tokens() const;  ///< Of the chat so far, as far as the backend counted them.
  double fraction() const;
  QString text() const;  ///< "1,204 / 8,192".

  QString estimate() const;  ///< What sending costs: "about 12 tokens · 24 to compute".
  QString note() const;      ///< What sending would leave out, in a sentence; empty for nothing.
  bool isTooLong() const;    ///< It could not be answered at all.
  bool isWarning() const;    ///< The note is of something that the next message brings about.

 signals:
  void noteChanged();

 private:
  void ask();
  bool isWorthAsking() const;
  void onForecast(const ContextForecast& forecast);

  ChatBackend& m_backend;
  ModelManager& m_models;
  const Conversation& m_conversation;
  const std::function<ChatRequest()> m_next;
  qsizetype m_draftLength = 0;
  int m_dropped = 0;
  PendingReply m_asked;
  ContextForecast m_forecast;
  QTimer m_timer;
};

}  // namespace quire
