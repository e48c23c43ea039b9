#include "app/models/folder_picker.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>

#include <optional>

#include "app/session/session_bus.h"

namespace quire {
namespace {

const QString kPortalService = QStringLiteral("org.freedesktop.portal.Desktop");
const QString kPortalPath = QStringLiteral("/org/freedesktop/portal/desktop");
const QString kChooser = QStringLiteral("org.freedesktop.portal.FileChooser");
const QString kRequest = QStringLiteral("org.freedesktop.portal.Request");
const QString kResponse = QStringLiteral("Response");

/// The object path of a request, known before the call, so that no response is missed.
QString requestPath(const QDBusConnection& bus, const QString& token) {
  QString sender = bus.baseService().mid(1);
  sender.replace(u'.', u'_');
  return kPortalPath + QStringLiteral("/request/") + sender + u'/' + token;
}

}  // namespace

void FolderPicker::ask(const QString& title, bool isFolder) {
  std::optional<QDBusConnection> session = sessionBus();
  if (!session) return emit unavailable();
  QDBusConnection& bus = *session;
  const char* const slot = SLOT(onResponse(uint, QVariantMap));
  if (!m_request.isEmpty())
    bus.disconnect(kPortalService, m_request, kRequest, kResponse, this, slot);
  const QString token = QStringLiteral("quire%1").arg(++m_lastToken);
  m_request = requestPath(bus, token);
  bus.connect(kPortalService, m_request, kRequest, kResponse, this, slot);
  QDBusMessage call = QDBusMessage::createMethodCall(kPortalService, kPortalPath, kChooser,
                                                     QStringLiteral("OpenFile"));
  const QVariantMap options = {{QStringLiteral("directory"), isFolder},
                               {QStringLiteral("handle_token"), token}};
  call.setArguments({QString(), title, options});
  auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(call), this);
  connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher] {
    watcher->deleteLater();
    if (QDBusPendingReply<QDBusObjectPath>(*watcher).isError()) emit unavailable();
  });
}

void FolderPicker::onResponse(uint code, const QVariantMap& results) {
  const QStringList urls = results.value(QStringLiteral("uris")).toStringList();
  if (code == 0 && !urls.isEmpty()) emit picked(QUrl(urls.constFirst()));
}

}  // namespace quire
