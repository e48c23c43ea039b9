#include "app/session/link_opener.h"

#include <QClipboard>
#include <QDesktopServices>
#include <QGuiApplication>
#include <QUrl>

namespace quire {

void LinkOpener::open(const QString& link) const {
  const QUrl url(link, QUrl::StrictMode);
  const QStringList allowed = {QStringLiteral("https"), QStringLiteral("http"),
                               QStringLiteral("mailto")};
  if (allowed.contains(url.scheme())) QDesktopServices::openUrl(url);
}

void LinkOpener::copy(const QString& link) const {
  QGuiApplication::clipboard()->setText(link);
}

}  // namespace quire
