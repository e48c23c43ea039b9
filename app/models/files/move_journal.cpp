#include "app/models/files/move_journal.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>

#include <algorithm>

#include "app/models/scan/small_json.h"

namespace quire {
namespace {

/// A model may have ten thousand files, each with some ten values.
constexpr JsonLimits kJournalLimits = {.max_bytes = 8 << 20, .max_depth = 8, .max_values = 400'000};
constexpr int kVersion = 1;

bool isClean(const QString& path) {
  return QDir::isAbsolutePath(path) && QDir::cleanPath(path) == path && path != QLatin1String("/");
}

bool isPlainName(const QString& name) {
  return !name.isEmpty() && !name.contains(u'/') && name != QLatin1String(".") &&
         name != QLatin1String("..");
}

QJsonObject toJson(const StoredFile& file) {
  return {{QStringLiteral("path"), file.path},
          {QStringLiteral("bytes"), QString::number(file.bytes)},
          {QStringLiteral("modified_ns"), QString::number(file.modifiedNs)},
          {QStringLiteral("device"), QString::number(file.identity.device)},
          {QStringLiteral("inode"), QString::number(file.identity.inode)}};
}

StoredFile fileOf(const QJsonValue& json) {
  const auto text = [&](QLatin1String key) { return json[key].toString(); };
  return {.path = text(QLatin1String("path")),
          .bytes = text(QLatin1String("bytes")).toLongLong(),
          .modifiedNs = text(QLatin1String("modified_ns")).toLongLong(),
          .identity = {text(QLatin1String("device")).toULongLong(),
                       text(QLatin1String("inode")).toULongLong()}};
}

QStringList textsOf(const QJsonValue& json) {
  QStringList texts;
  const QJsonArray array = json.toArray();
  for (const QJsonValue& text : array) texts.append(text.toString());
  return texts;
}

QJsonArray toJson(const QList<StoredFile>& files) {
  QJsonArray array;
  for (const StoredFile& file : files) array.append(toJson(file));
  return array;
}

QList<StoredFile> filesOf(const QJsonValue& json) {
  QList<StoredFile> files;
  const QJsonArray array = json.toArray();
  for (const QJsonValue& file : array) files.append(fileOf(file));
  return files;
}

bool isValid(const ModelMove& move) {
  const auto hasCleanPath = [](const StoredFile& file) { return isClean(file.path); };
  return isClean(move.from) && isClean(move.to) && isClean(move.staging) && isClean(move.target) &&
         QFileInfo(move.staging).fileName().startsWith(QLatin1String(".quire-move-")) &&
         QFileInfo(move.staging).path() == QFileInfo(move.target).path() && !move.files.isEmpty() &&
         move.files.size() == move.copies.size() && std::ranges::all_of(move.files, hasCleanPath) &&
         std::ranges::all_of(move.copies, isPlainName) &&
         std::ranges::all_of(move.verified, hasCleanPath) &&
         std::ranges::all_of(move.folders, isClean) && std::ranges::all_of(move.records, isClean) &&
         (move.isFolder || move.files.size() == 1);
}

}  // namespace

qint64 ModelMove::bytes() const {
  qint64 sum = 0;
  for (const StoredFile& file : files) sum += file.bytes;
  return sum;
}

bool MoveJournal::write(const ModelMove& move) const {
  const QJsonObject root = {{QStringLiteral("version"), kVersion},
                            {QStringLiteral("from"), move.from},
                            {QStringLiteral("to"), move.to},
                            {QStringLiteral("staging"), move.staging},
                            {QStringLiteral("target"), move.target},
                            {QStringLiteral("is_folder"), move.isFolder},
                            {QStringLiteral("files"), toJson(move.files)},
                            {QStringLiteral("verified"), toJson(move.verified)},
                            {QStringLiteral("records"), QJsonArray::fromStringList(move.records)},
                            {QStringLiteral("copies"), QJsonArray::fromStringList(move.copies)},
                            {QStringLiteral("folders"), QJsonArray::fromStringList(move.folders)}};
  if (QFileInfo(m_path).isSymLink()) QFile::remove(m_path);  // QSaveFile would write its target.
  QSaveFile file(m_path);
  const QByteArray text = QJsonDocument(root).toJson(QJsonDocument::Compact);
  if (!file.open(QIODevice::WriteOnly)) return false;
  file.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
  // commit() does not notice that a full disk took nothing.
  return file.write(text) == text.size() && file.flush() && file.commit();
}

std::optional<ModelMove> MoveJournal::read() const {
  const QJsonObject root = readSmallJson(m_path, kJournalLimits);
  if (root[QLatin1String("version")].toInt() != kVersion) return std::nullopt;
  ModelMove move = {.from = root[QLatin1String("from")].toString(),
                    .to = root[QLatin1String("to")].toString(),
                    .staging = root[QLatin1String("staging")].toString(),
                    .target = root[QLatin1String("target")].toString(),
                    .isFolder = root[QLatin1String("is_folder")].toBool(),
                    .files = filesOf(root[QLatin1String("files")]),
                    .copies = textsOf(root[QLatin1String("copies")]),
                    .folders = textsOf(root[QLatin1String("folders")]),
                    .records = textsOf(root[QLatin1String("records")]),
                    .verified = filesOf(root[QLatin1String("verified")])};
  if (!isValid(move)) return std::nullopt;
  return move;
}

void MoveJournal::remove() const {
  QFile::remove(m_path);
}

}  // namespace quire
