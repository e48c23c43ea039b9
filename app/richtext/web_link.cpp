#include "app/richtext/web_link.h"

#include <QUrl>

namespace quire {
namespace {

bool isMail(const QUrl& url) {
  return url.scheme() == QLatin1String("mailto");
}

}  // namespace

bool isWebLink(const QString& href) {
  const QUrl url(href, QUrl::StrictMode);
  const QString scheme = url.scheme();
  const bool isPage = scheme == QLatin1String("http") || scheme == QLatin1String("https");
  return url.isValid() && ((isPage && !url.host().isEmpty()) || isMail(url));
}

QString linkHost(const QString& href) {
  if (!isWebLink(href)) return {};
  const QUrl url(href, QUrl::StrictMode);
  return isMail(url) ? url.path(QUrl::FullyEncoded) : url.host(QUrl::FullyEncoded);
}

}  // namespace quire
