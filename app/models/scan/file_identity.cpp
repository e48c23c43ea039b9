#include "app/models/scan/file_identity.h"

#include <sys/stat.h>

#include <QCryptographicHash>
#include <QFile>
#include <QFileInfo>
#include <QStringList>

namespace quire {

std::optional<FileIdentity> identityOf(const QString& path) {
  struct stat status = {};
  if (::stat(QFile::encodeName(path).constData(), &status) != 0) return std::nullopt;
  return FileIdentity{static_cast<quint64>(status.st_dev), static_cast<quint64>(status.st_ino)};
}

QString stampOf(const QStringList& files) {
  QCryptographicHash hash(QCryptographicHash::Sha1);
  for (const QString& file : files) {
    struct stat status = {};
    if (::stat(QFile::encodeName(file).constData(), &status) != 0) return {};
    const qint64 numbers[] = {status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
    hash.addData(QByteArrayView(reinterpret_cast<const char*>(numbers), sizeof numbers));
  }
  return files.isEmpty() ? QString() : QString::fromLatin1(hash.result().toHex());
}

QByteArray readSmallFile(const QString& path, qint64 most) {
  QFile file(path);
  if (!QFileInfo(path).isFile() || !file.open(QIODevice::ReadOnly)) return {};
  const QByteArray content = file.read(most + 1);
  return content.size() > most ? QByteArray() : content;
}

}  // namespace quire
