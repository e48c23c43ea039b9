#include "app/get_models/hub_access.h"

#include <QFileInfo>
#include <QRegularExpression>

namespace quire {

bool namesModel(const QString& text) {
  static const QRegularExpression kName(QStringLiteral("\\A\\S*[/:]\\S*\\z"));
  return kName.match(text).hasMatch();
}

FolderUse folderUse(const QString& path) {
  const QFileInfo info(path);
  if (!info.isDir()) return FolderUse::kMissing;
  return info.isWritable() ? FolderUse::kUsable : FolderUse::kNotWritable;
}

}  // namespace quire
