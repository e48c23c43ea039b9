#include "app/hub/download_record.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>

namespace quire {

void keepHashes(const DownloadPlan& plan) {
  QJsonArray files;
  for (const PlannedFile& file : plan.files) {
    const bool isGit = file.hash.kind == FileHash::Kind::kGitSha1;
    files.append(QJsonObject{
        {QStringLiteral("path"), file.path},
        {QStringLiteral("kind"), isGit ? QStringLiteral("git") : QStringLiteral("sha256")},
        {QStringLiteral("hash"), QString::fromLatin1(file.hash.hex)}});
  }
  const QJsonObject root = {{QStringLiteral("version"), 1},
                            {QStringLiteral("source"), plan.source},
                            {QStringLiteral("is_folder"), plan.isFolder},
                            {QStringLiteral("files"), files}};
  const QFileInfo target(plan.targetPath());
  const QString folder = target.path() + QStringLiteral("/.quire-hashes");
  if (!QDir().mkpath(folder)) return;
  QSaveFile record(folder + u'/' + target.fileName() + QStringLiteral(".json"));
  if (!record.open(QIODevice::WriteOnly)) return;
  record.write(QJsonDocument(root).toJson(QJsonDocument::Compact));
  record.commit();
}

}  // namespace quire
