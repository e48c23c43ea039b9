#pragma once

#include <QDir>
#include <QString>

namespace quire {

/// A path that a user typed, without spaces around it; "~/" stands for the home folder.
inline QString typedPath(const QString& typed) {
  const QString path = typed.trimmed();
  return path.startsWith(QLatin1String("~/")) ? QDir::homePath() + path.mid(1) : path;
}

}  // namespace quire
