#include "app/models/scan/file_identity.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStringList>

#include <algorithm>
#include <iterator>

#include "platform/file.h"
#include "platform/folder.h"

namespace quire {

std::optional<FileIdentity> identityOf(const QString& path) {
  const auto stamp = platform::stamp_of(platform::utf8_path(path.toStdString()));
  if (!stamp) return std::nullopt;
  return FileIdentity{stamp->device, stamp->number};
}

bool isKernelFolder(const QString& path) {
  // proc, sysfs, devpts, debugfs, tracefs, securityfs, cgroup, cgroup2, bpf, configfs, efivarfs,
  // autofs: numbers of the kernel's interface (linux/magic.h).
  constexpr quint32 kTypes[] = {0x9fa0,     0x62656572, 0x1cd1,     0x64626720,
                                0x74726163, 0x73636673, 0x27e0eb,   0x63677270,
                                0xcafe4a11, 0x62656570, 0xde5e81e4, 0x0187};
  const quint32 type = platform::file_system_type(platform::utf8_path(path.toStdString()));
  return std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes);
}

QString stampOf(const QStringList& files) {
  QCryptographicHash hash(QCryptographicHash::Sha1);
  for (const QString& file : files) {
    const auto stamp = platform::stamp_of(platform::utf8_path(file.toStdString()));
    if (!stamp) return {};
    constexpr int64_t kSecond = 1'000'000'000;
    const qint64 numbers[] = {static_cast<qint64>(stamp->size), stamp->modified_ns / kSecond,
                              stamp->modified_ns % kSecond, static_cast<qint64>(stamp->number)};
    hash.addData(QByteArrayView(reinterpret_cast<const char*>(numbers), sizeof numbers));
  }
  return files.isEmpty() ? QString() : QString::fromLatin1(hash.result().toHex());
}

QString stampOfModel(const QString& path) {
  const QFileInfo info(path);
  QStringList patterns;
  if (!info.isDir()) {
    static const QRegularExpression kPart(QStringLiteral("-\\d{5}(-of-\\d{5}\\.gguf)$"));
    const auto part = kPart.match(path);
    if (!part.hasMatch()) return stampOf({path});
    patterns.append(u'*' + part.captured(1));
  }
  const QDir folder(info.isDir() ? path : info.path());
  QStringList files;
  for (const QString& name : folder.entryList(patterns, QDir::Files, QDir::Name)) {
    files.append(folder.filePath(name));
  }
  return stampOf(files);
}

QByteArray readSmallFile(const QString& path, qint64 most) {
  QFile file(path);
  if (!QFileInfo(path).isFile() || !file.open(QIODevice::ReadOnly)) return {};
  const QByteArray content = file.read(most + 1);
  return content.size() > most ? QByteArray() : content;
}

}  // namespace quire
