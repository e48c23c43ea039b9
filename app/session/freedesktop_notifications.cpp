#include "app/session/freedesktop_notifications.h"

#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QVariantMap>

#include <utility>

#include "app/session/session_bus.h"

namespace quire {
namespace {

const QString kNoticeService = QStringLiteral("org.freedesktop.Notifications");
const QString kNoticePath = QStringLiteral("/org/freedesktop/Notifications");
const QString kNoticeAction = QStringLiteral("default");  ///< A click on the notice itself.

QDBusMessage noticeCall(const QString& method) {
  return QDBusMessage::createMethodCall(kNoticeService, kNoticePath, kNoticeService, method);
}

QVariantMap noticeHints(const DesktopNotice& notice) {
  QVariantMap hints = {{QStringLiteral("desktop-entry"), QStringLiteral("quire")},
                       {QStringLiteral("category"), QStringLiteral("im.received")}};
  if (notice.sounds) {
    hints.insert(QStringLiteral("sound-name"), QStringLiteral("message-new-instant"));
  } else {
    hints.insert(QStringLiteral("suppress-sound"), true);
  }
  return hints;
}

}  // namespace

FreedesktopNotifications::FreedesktopNotifications(const QDBusConnection& bus, QObject* parent)
    : DesktopNotifications(parent), m_bus(bus) {
  const auto listen = [this](const char* name, const char* slot) {
    m_bus.connect(QString(), kNoticePath, kNoticeService, QLatin1String(name), this, slot);
  };
  listen("ActionInvoked", SLOT(onActionInvoked(uint, QString)));
  listen("NotificationClosed", SLOT(onClosed(uint, uint)));
  listen("ActivationToken", SLOT(onActivationToken(uint, QString)));
}

void FreedesktopNotifications::show(const DesktopNotice& notice) {
  m_isWithdrawn = false;
  if (m_isSending) {
    m_next = notice;
  } else {
    send(notice);
  }
}

void FreedesktopNotifications::send(const DesktopNotice& notice) {
  constexpr int kDesktopsTimeout = -1;
  QDBusMessage message = noticeCall(QStringLiteral("Notify"));
  message << QStringLiteral("Quire") << m_id << QStringLiteral("quire") << notice.title
          << notice.text.toHtmlEscaped()  // The text may hold markup.
          << QStringList{kNoticeAction, tr("Open")} << noticeHints(notice) << kDesktopsTimeout;
  m_isSending = true;
  auto* sent = new QDBusPendingCallWatcher(m_bus.asyncCall(message), this);
  connect(sent, &QDBusPendingCallWatcher::finished, this, [this, sent] {
    const QDBusPendingReply<uint> reply = *sent;
    sent->deleteLater();
    onSent(reply.isError() ? 0 : reply.value());
  });
}

void FreedesktopNotifications::onSent(uint id) {
  m_isSending = false;
  m_id = id;
  if (m_isWithdrawn) return withdraw();
  if (const auto next = std::exchange(m_next, std::nullopt)) send(*next);
}

void FreedesktopNotifications::withdraw() {
  m_next.reset();
  if (m_isSending) {
    m_isWithdrawn = true;
    return;
  }
  if (m_id == 0) return;
  QDBusMessage message = noticeCall(QStringLiteral("CloseNotification"));
  message << std::exchange(m_id, 0);
  m_bus.asyncCall(message);
}

void FreedesktopNotifications::onActivationToken(uint id, const QString& token) {
  if (id == m_id) m_token = token;
}

void FreedesktopNotifications::onActionInvoked(uint id, const QString& action) {
  if (id != m_id || id == 0 || action != kNoticeAction) return;
  emit activated(std::exchange(m_token, QString()));
}

void FreedesktopNotifications::onClosed(uint id, uint) {
  if (id == m_id) m_id = 0;
}

std::unique_ptr<DesktopNotifications> makeDesktopNotifications() {
  const auto bus = sessionBus();
  return bus ? std::make_unique<FreedesktopNotifications>(*bus) : nullptr;
}

}  // namespace quire
