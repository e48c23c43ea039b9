#pragma once

#include <QObject>
#include <QTimer>

#include <functional>
#include <vector>

#include "app/engine/chat_backend.h"
#include "app/engine/model_manager.h"

namespace quire {

/// What a message that goes to several chats costs them together. The backend is asked a moment
/// after the message last changed.
/// Thread: the window's.
class DraftEstimate : public QObject {
  Q_OBJECT

 public:
  /// `requests`: what sending would ask now; none: nothing.
  DraftEstimate(ChatBackend& backend, ModelManager& models,
                std::function<QList<ChatRequest>()> requests, QObject* parent = nullptr);

  void look();
  QString text() const;  ///< "about 12 tokens · 48 to compute"; empty while it is not known.

 signals:
  void changed();

 private:
  void ask();
  void onForecast(const ContextForecast& forecast);

  ChatBackend& m_backend;
  ModelManager& m_models;
  const std::function<QList<ChatRequest>()> m_requests;
  std::vector<PendingReply> m_asked;
  int m_numOpen = 0;  ///< Of m_asked: without an answer.
  int m_messageTokens = 0;
  int m_computedTokens = 0;
  QTimer m_timer;
};

}  // namespace quire
