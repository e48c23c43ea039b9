#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include <functional>
#include <memory>

#include "app/session/desktop_notifications.h"
#include "app/sidebar/chat_library.h"

namespace quire {

/// Tells the desktop that an answer has ended while the window had no focus. Answers that end
/// before the user looks share one notification, which goes when the window gets the focus. An
/// answer that the user stopped is not announced, and no notification quotes what was written.
///
/// Thread: the window's.
class AnswerNotifier : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(bool isPossible READ isPossible NOTIFY changed)
  Q_PROPERTY(bool isOn READ isOn WRITE setOn NOTIFY changed)
  Q_PROPERTY(bool sounds READ sounds WRITE setSounds NOTIFY changed)

 public:
  AnswerNotifier(ChatLibrary& library, DataSession& session, QObject* parent = nullptr);

  /// Null: this desktop has no notifications.
  void setDesktop(std::unique_ptr<DesktopNotifications> desktop);
  void load();  ///< The stored choices; the session is open.

  bool isPossible() const { return m_desktop != nullptr; }
  bool isOn() const { return m_isOn; }
  void setOn(bool isOn);
  bool sounds() const { return m_sounds; }
  void setSounds(bool sounds);

  /// Replaces the check whether the window has the focus, for tests.
  void setFocusCheck(const std::function<bool()>& hasFocus) { m_hasFocus = hasFocus; }
  /// The window got the focus: what is announced has been seen.
  void onFocusGained();

 signals:
  void changed();
  /// An answer has ended; the task bar may mark the window.
  void attentionWanted();
  /// The user chose the notification of this chat, 0 for one of several.
  void chatWanted(qint64 chatId, const QString& token);

 private:
  void onAnswerEnded(ChatModel* chat);
  void announce(bool hasFailed);

  ChatLibrary& m_library;
  DataSession& m_session;
  std::unique_ptr<DesktopNotifications> m_desktop;
  std::function<bool()> m_hasFocus;
  QList<RecordId> m_ended;  ///< Chats that are announced, the last one last.
  bool m_isOn = true;
  bool m_sounds = false;
};

}  // namespace quire
