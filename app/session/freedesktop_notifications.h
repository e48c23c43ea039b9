#pragma once

#include <QDBusConnection>

#include <memory>
#include <optional>

#include "app/session/desktop_notifications.h"

namespace quire {

/// org.freedesktop.Notifications, version 1.2. The desktop plays the sound.
/// Invariants: at most one call of Notify is open; a notice that comes meanwhile is shown after it.
class FreedesktopNotifications : public DesktopNotifications {
  Q_OBJECT

 public:
  explicit FreedesktopNotifications(const QDBusConnection& bus, QObject* parent = nullptr);

  void show(const DesktopNotice& notice) override;
  void withdraw() override;

 private slots:
  void onActionInvoked(uint id, const QString& action);
  void onClosed(uint id, uint reason);
  void onActivationToken(uint id, const QString& token);

 private:
  void send(const DesktopNotice& notice);
  void onSent(uint id);

  QDBusConnection m_bus;
  std::optional<DesktopNotice> m_next;  ///< Shown when the open call has returned.
  uint m_id = 0;                        ///< Of the notice that is shown; 0: none.
  bool m_isSending = false;
  bool m_isWithdrawn = false;  ///< withdraw() was called during the open call.
  QString m_token;
};

/// Notifications of this desktop; null where it has none that Quire knows.
std::unique_ptr<DesktopNotifications> makeDesktopNotifications();

}  // namespace quire
