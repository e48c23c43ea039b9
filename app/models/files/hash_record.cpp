#include "app/models/files/hash_record.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonObject>

#include "app/models/files/ollama_store.h"
#include "app/models/scan/small_json.h"

namespace quire {
namespace {

constexpr JsonLimits kRecordLimits = {.max_bytes = 8 << 20, .max_depth = 8, .max_values = 200'000};

QString recordOf(const QString& target) {
  const QFileInfo info(target);
  return info.path() + QStringLiteral("/.quire-hashes/") + info.fileName() +
         QStringLiteral(".json");
}

/// What a record says, the files below the folder of the target. Paths that lead elsewhere are left
/// out by the caller, which asks for known files only.
QList<ExpectedHash> readRecord(const QString& record) {
  const QJsonObject root = readSmallJson(record, kRecordLimits);
  const QFileInfo info(record);
  const QString parent = QFileInfo(info.path()).path();
  const QString target = parent + u'/' + info.completeBaseName();
  const QString base = root[QLatin1String("is_folder")].toBool() ? target : QString();
  QList<ExpectedHash> hashes;
  const QJsonArray files = root[QLatin1String("files")].toArray();
  for (const QJsonValue& file : files) {
    const bool isGit = file[QLatin1String("kind")].toString() == QLatin1String("git");
    const QByteArray hex = file[QLatin1String("hash")].toString().toLatin1();
    if (!isHex(hex, isGit ? 40 : 64)) continue;
    hashes.append(
        {.path = base.isEmpty() ? target : base + u'/' + file[QLatin1String("path")].toString(),
         .kind = isGit ? ExpectedHash::Kind::kGitSha1 : ExpectedHash::Kind::kSha256,
         .hex = hex,
         .origin = root[QLatin1String("source")].toString().left(200)});
  }
  return hashes;
}

/// The name of a blob of the Hugging Face libraries is its hash.
std::optional<ExpectedHash> hashInName(const QString& file) {
  const QByteArray digest = ollamaDigest(file);
  if (!digest.isEmpty()) {
    return ExpectedHash{.path = file, .hex = digest, .origin = QStringLiteral("Ollama")};
  }
  const QFileInfo info(file);
  const QByteArray name = info.fileName().toLatin1();
  if (QFileInfo(info.path()).fileName() != QLatin1String("blobs")) return std::nullopt;
  if (!isHex(name, 64) && !isHex(name, 40)) return std::nullopt;
  return ExpectedHash{
      .path = file,
      .kind = name.size() == 40 ? ExpectedHash::Kind::kGitSha1 : ExpectedHash::Kind::kSha256,
      .hex = name,
      .origin = QStringLiteral("Hugging Face")};
}

}  // namespace

QStringList hashRecordsOf(const QString& modelPath) {
  QStringList records;
  for (const QString& target : {modelPath, QFileInfo(modelPath).path()}) {
    if (QFileInfo(recordOf(target)).isFile()) records.append(recordOf(target));
  }
  return records;
}

QList<ExpectedHash> expectedHashes(const QString& modelPath, const QStringList& files) {
  QList<ExpectedHash> hashes;
  const QString real = QFileInfo(modelPath).canonicalFilePath();
  for (const QString& record : hashRecordsOf(real.isEmpty() ? modelPath : real)) {
    for (const ExpectedHash& hash : readRecord(record)) {
      if (files.contains(hash.path)) hashes.append(hash);
    }
    if (!hashes.isEmpty()) return hashes;
  }
  for (const QString& file : files) {
    if (const auto hash = hashInName(file)) hashes.append(*hash);
  }
  return hashes;
}

}  // namespace quire
