#include "tests/app/models/scan/model_layouts.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <filesystem>

namespace quire {

void ModelLayouts::folder(const QString& below) const {
  if (!QDir().mkpath(path(below))) qFatal("%s cannot be made.", qPrintable(below));
}

void ModelLayouts::file(const QString& below, const QByteArray& content) const {
  folder(QFileInfo(below).path());
  QFile out(path(below));
  if (!out.open(QIODevice::WriteOnly) || out.write(content) != content.size())
    qFatal("%s cannot be written.", qPrintable(below));
}

void ModelLayouts::addValues(const QString& below, int count) const {
  QFile in(path(below));
  if (!in.open(QIODevice::ReadOnly)) qFatal("%s cannot be read.", qPrintable(below));
  file(below, "{\"more\":[" + QByteArray("0,").repeated(count) + "0]," + in.readAll().mid(1));
}

void ModelLayouts::copy(const QString& data, const QString& below) const {
  file(below, testData(data));
}

void ModelLayouts::copyFolder(const QString& data, const QString& below) const {
  const QDir from(QStringLiteral(QUIRE_SOURCE_DIR "/tests/data/") + data);
  for (const QString& name : from.entryList(QDir::Files))
    copy(data + u'/' + name, below + u'/' + name);
}

void ModelLayouts::symbolicLink(const QString& target, const QString& below) const {
  folder(QFileInfo(below).path());
  if (!QFile::link(target, path(below))) qFatal("%s cannot be linked.", qPrintable(below));
}

void ModelLayouts::hardLink(const QString& target, const QString& below) const {
  folder(QFileInfo(below).path());
  std::filesystem::create_hard_link(target.toStdString(), path(below).toStdString());
}

QString ModelLayouts::ollama(const QString& root, const QString& name, const QByteArray& blob,
                             const QString& moreLayers) const {
  const QString digest =
      QString::fromLatin1(QCryptographicHash::hash(blob, QCryptographicHash::Sha256).toHex());
  const QString manifest =
      QStringLiteral(
          R"({"schemaVersion":2,"layers":[{"mediaType":"application/vnd.ollama.image.model",)"
          R"("digest":"sha256:%1","size":%2}%3]})")
          .arg(digest)
          .arg(blob.size())
          .arg(moreLayers);
  file(root + "/manifests/registry.ollama.ai/" + name, manifest.toUtf8());
  const QString below = root + "/blobs/sha256-" + digest;
  file(below, blob);
  return path(below);
}

void ModelLayouts::huggingFace(const QString& root, const QString& repository, const QString& name,
                               const QByteArray& content, bool named) const {
  const QString folderName = "models--" + QString(repository).replace("/", "--");
  const QString base = root + u'/' + folderName;
  const QString revision = QStringLiteral("0123456789abcdef0123456789abcdef01234567");
  const QString blob =
      QString::fromLatin1(QCryptographicHash::hash(content, QCryptographicHash::Sha256).toHex());
  file(base + "/blobs/" + blob, content);
  if (named) file(base + "/refs/main", revision.toLatin1());
  symbolicLink("../../blobs/" + blob, base + "/snapshots/" + revision + u'/' + name);
}

QByteArray testData(const QString& path) {
  QFile file(QStringLiteral(QUIRE_SOURCE_DIR "/tests/data/") + path);
  if (!file.open(QIODevice::ReadOnly)) qFatal("%s is not in the tree.", qPrintable(path));
  return file.readAll();
}

}  // namespace quire
