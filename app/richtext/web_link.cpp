#include "app/richtext/web_link.h"

#include <QUrl>
#include <QUrlQuery>

#include <algorithm>

namespace quire {
namespace {

bool isMail(const QUrl& url) {
  return url.scheme() == QLatin1String("mailto");
}

bool hasControlCharacters(const QString& text) {
  return std::any_of(text.begin(), text.end(),
                     [](QChar c) { return c < u' ' || c == QChar(0x7f); });
}

/// Whether a letter would go to the one address that linkHost() shows, and would have nothing that
/// nobody has read, such as an attached file or other addressees.
bool isPlainLetter(const QUrl& url) {
  const QString address = url.path(QUrl::FullyDecoded);
  const bool isOne = address.count(u'@') == 1 && !address.endsWith(u'@') &&
                     !address.contains(u',') && !address.contains(u';') &&
                     !hasControlCharacters(address);
  if (!isOne) return false;
  const QList<std::pair<QString, QString>> fields = QUrlQuery(url).queryItems(QUrl::FullyDecoded);
  return std::all_of(fields.begin(), fields.end(), [](const std::pair<QString, QString>& field) {
    const QString name = field.first.toLower();
    // A line end in the subject would begin another field.
    return name == QLatin1String("body") ||
           (name == QLatin1String("subject") && !hasControlCharacters(field.second));
  });
}

}  // namespace

bool isWebLink(const QString& href) {
  const QUrl url(href, QUrl::StrictMode);
  const QString scheme = url.scheme();
  const bool isPage = scheme == QLatin1String("http") || scheme == QLatin1String("https");
  return url.isValid() &&
         ((isPage && !url.host().isEmpty()) || (isMail(url) && isPlainLetter(url)));
}

QString linkHost(const QString& href) {
  if (!isWebLink(href)) return {};
  const QUrl url(href, QUrl::StrictMode);
  return isMail(url) ? url.path(QUrl::FullyEncoded) : url.host(QUrl::FullyEncoded);
}

}  // namespace quire
