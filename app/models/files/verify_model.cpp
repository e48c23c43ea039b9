#include "app/models/files/verify_model.h"

#include <QFileInfo>

#include <algorithm>

namespace quire {
namespace {

using Verdict = Verification::Verdict;

const StoredFile* listed(const ModelParts& parts, const QString& path) {
  const auto found = std::ranges::find(parts.files, path, &StoredFile::path);
  return found == parts.files.end() ? nullptr : &*found;
}

}  // namespace

Verification verifyModel(const QString& modelPath, const ModelParts& parts, HashCache& cache,
                         const std::stop_token& stop, const FileProgress& progress) {
  const QList<ExpectedHash> hashes = expectedHashes(modelPath, parts.paths());
  qint64 total = 0;
  for (const ExpectedHash& hash : hashes) total += listed(parts, hash.path)->bytes;
  for (const StoredFile& file : parts.files) {
    const bool isKnown = std::ranges::find(hashes, file.path, &ExpectedHash::path) != hashes.end();
    if (!isKnown && holdsWeights(file.path)) {
      return {Verdict::kUnknown, QFileInfo(file.path).fileName(), {}};
    }
  }
  if (hashes.isEmpty()) return {Verdict::kUnknown, QFileInfo(modelPath).fileName(), {}};
  qint64 done = 0;
  for (const ExpectedHash& hash : hashes) {
    const StoredFile& file = *listed(parts, hash.path);
    const QString name = QFileInfo(file.path).fileName();
    const QByteArray actual = hashOf(file, hash.kind, stop, [&](qint64 bytes) {
      done += bytes;
      if (progress) progress(done, total);
    });
    if (stop.stop_requested()) return {};
    if (actual.isEmpty()) return {Verdict::kUnreadable, name, hash.origin};
    if (hash.kind == ExpectedHash::Kind::kSha256) cache.put(file, actual);
    if (actual != hash.hex) return {Verdict::kDiffers, name, hash.origin};
  }
  cache.save();
  return {Verdict::kVerified, {}, hashes.first().origin};
}

}  // namespace quire
