#include "app/richtext/web_link.h"

#include <QUrl>
#include <QUrlQuery>

#include <algorithm>

namespace quire {
namespace {

bool isMail(const QUrl& url) {
  return url.scheme() == QLatin1String("mailto");
}

bool isControl(QChar c) {
  return c < u' ' || c == QChar(0x7f);
}

/// Whether the text is one mail address, without what mail programs take for the end of the address
/// or for another one. It is decoded: "%" would be the beginning of what is decoded once more.
bool isOneAddress(const QString& text) {
  if (text.count(u'@') != 1 || text.startsWith(u'@') || text.endsWith(u'@')) return false;
  return std::none_of(text.begin(), text.end(), [](QChar c) {
    return isControl(c) || c.isSpace() || QStringView(u",;?&#/<>%").contains(c);
  });
}

/// Whether a letter would go to the one address that linkHost() shows, and would have nothing that
/// nobody has read, such as an attached file or other addressees.
bool isPlainLetter(const QUrl& url) {
  // A mail program may find addressees in the parts that linkHost() does not show.
  if (!url.authority().isEmpty() || url.hasFragment()) return false;
  if (!isOneAddress(url.path(QUrl::FullyDecoded))) return false;
  const QList<std::pair<QString, QString>> fields = QUrlQuery(url).queryItems(QUrl::FullyDecoded);
  return std::all_of(fields.begin(), fields.end(), [](const std::pair<QString, QString>& field) {
    const QString name = field.first.toLower();
    // A line end in the subject would begin another field.
    return name == QLatin1String("body") ||
           (name == QLatin1String("subject") &&
            std::none_of(field.second.begin(), field.second.end(), isControl));
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
