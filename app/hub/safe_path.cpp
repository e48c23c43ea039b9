#include "app/hub/safe_path.h"

#include <QRegularExpression>
#include <QStringList>

#include <algorithm>

namespace quire {
namespace {

constexpr qsizetype kMostParts = 4;
constexpr qsizetype kMostPartBytes = 200;

/// Names that Windows takes for devices, whatever their extension.
bool isDevice(const QString& part) {
  static const QRegularExpression kDevice(
      QStringLiteral("^(con|prn|aux|nul|com\\d|lpt\\d)(\\..*)?$"),
      QRegularExpression::CaseInsensitiveOption);
  return kDevice.match(part).hasMatch();
}

bool isPlain(QChar c) {
  static const QString kOthers = QStringLiteral("\\:*?\"<>|");
  return c.isPrint() && !kOthers.contains(c);
}

bool isSafePart(const QString& part) {
  return !part.isEmpty() && part.toUtf8().size() <= kMostPartBytes && !part.startsWith(u'.') &&
         !part.endsWith(u'.') && part.trimmed() == part && std::ranges::all_of(part, isPlain) &&
         !isDevice(part);
}

}  // namespace

bool isSafePath(const QString& path) {
  const QStringList parts = path.split(u'/');
  return parts.size() <= kMostParts && std::ranges::all_of(parts, isSafePart);
}

bool isSafeName(const QString& text) {
  static const QRegularExpression kName(QStringLiteral("\\A[A-Za-z0-9][A-Za-z0-9._-]{0,95}\\z"));
  return kName.match(text).hasMatch() && isSafePart(text);
}

}  // namespace quire
