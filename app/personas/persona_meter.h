#pragma once

#include <QHash>
#include <QObject>

#include <functional>

#include "app/engine/chat_backend.h"

namespace quire {

/// Asks the backend about system prompts, and brings each answer to whoever asked.
/// Thread: the window's.
class PersonaMeter : public QObject {
  Q_OBJECT

 public:
  using Take = std::function<void(const PersonaReport&)>;

  explicit PersonaMeter(ChatBackend& backend, QObject* parent = nullptr);

  void ask(const QString& systemPrompt, const Take& take);
  /// Answers that have not come are not wanted any more.
  void forget() { m_open.clear(); }
  bool isWaiting() const { return !m_open.isEmpty(); }

 private:
  ChatBackend& m_backend;
  QHash<quint64, Take> m_open;
};

}  // namespace quire
