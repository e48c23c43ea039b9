#include "app/store/backup/backup_check.h"

#include <QByteArray>
#include <QFile>
#include <QFileInfo>
#include <QtEndian>

#include "app/store/database.h"
#include "app/store/sqlite/content_bytes.h"

namespace quire {
namespace {

/// Whether the header is that of a database with as many bytes as the file has, as SQLite writes it
/// into each copy (https://www.sqlite.org/fileformat.html#the_database_header). Before SQLite opens
/// the file.
bool hasHeaderOfItsSize(const QString& path) {
  constexpr qsizetype kHeader = 100;
  constexpr qsizetype kPageBytesAt = 16;
  constexpr qsizetype kNumPagesAt = 28;
  constexpr qint64 kLargestPage = 65536;  // Which is written as 1.
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return false;
  const QByteArray header = file.read(kHeader);
  if (header.size() != kHeader || !header.startsWith(QByteArray("SQLite format 3", 16))) {
    return false;
  }
  const qint64 noted = qFromBigEndian<quint16>(header.constData() + kPageBytesAt);
  const qint64 pageBytes = noted == 1 ? kLargestPage : noted;
  const qint64 numPages = qFromBigEndian<quint32>(header.constData() + kNumPagesAt);
  return numPages > 0 && pageBytes * numPages == file.size();
}

/// Copies are complete without them.
bool hasLogOrJournal(const QString& path) {
  return QFileInfo(path + QStringLiteral("-wal")).size() > 0 ||
         QFileInfo(path + QStringLiteral("-journal")).size() > 0;
}

}  // namespace

std::optional<qint64> bytesOfUsable(const QString& path) {
  const QFileInfo file(path);
  if (file.isSymLink() || !file.isFile() || !hasHeaderOfItsSize(path)) return std::nullopt;
  if (hasLogOrJournal(path)) return std::nullopt;
  const auto database = openFileForReading(path);
  if (!database) return std::nullopt;
  return contentBytesOf((*database)->handle()).allocated;
}

}  // namespace quire
