#pragma once

#include <QFile>
#include <QtTest>

#include <filesystem>

namespace quire {

inline void write(const std::filesystem::path& path, const QByteArray& content) {
  QFile file(QString::fromStdString(path.string()));
  QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
  QCOMPARE(file.write(content), content.size());
}

/// Empty for a file that cannot be read.
inline QByteArray contentOf(const std::filesystem::path& path) {
  QFile file(QString::fromStdString(path.string()));
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace quire
