// ModelSearch for the layouts of Ollama and of the Hugging Face libraries.
#include <QCoreApplication>
#include <QDir>
#include <QDirIterator>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>

#include <algorithm>

#include "app/models/scan/model_search.h"

namespace quire {
namespace {

constexpr qint64 kMaxManifestBytes = 1 << 20;
constexpr int kMaxManifests = 10'000;

struct ModelCacheTexts {
  Q_DECLARE_TR_FUNCTIONS(quire::ModelCacheTexts)
};

/// "registry.ollama.ai/library/qwen3/8b" as in `ollama list`: "qwen3:8b".
QString ollamaName(QString path) {
  for (const QLatin1String usual :
       {QLatin1String("registry.ollama.ai/"), QLatin1String("library/")})
    if (path.startsWith(usual)) path = path.mid(usual.size());
  const qsizetype slash = path.lastIndexOf(u'/');
  return slash < 0 ? path : path.left(slash) + u':' + path.mid(slash + 1);
}

/// The file of a digest; empty for an invalid digest, so that a manifest cannot name other paths.
QString blobPath(const QString& root, const QString& digest) {
  static const QRegularExpression kDigest(QStringLiteral("^sha256[:-]([0-9a-f]{64})$"));
  const QRegularExpressionMatch match = kDigest.match(digest);
  if (!match.hasMatch()) return {};
  const QString path = root + QStringLiteral("/blobs/sha256-") + match.captured(1);
  if (QFileInfo::exists(path)) return path;
  return root + QStringLiteral("/blobs/sha256:") + match.captured(1);  // Before version 0.1.30.
}

/// The digests of a manifest's layers, by the last word of their media types: "model", "adapter".
QHash<QString, QString> layersOf(const QByteArray& manifest) {
  QHash<QString, QString> layers;
  const QJsonArray list =
      QJsonDocument::fromJson(manifest).object()[QLatin1String("layers")].toArray();
  for (const QJsonValue& layer : list) {
    const QString type = layer[QLatin1String("mediaType")].toString();
    const QString kind = type.section(u'.', -1);
    if (type.startsWith(QLatin1String("application/vnd.ollama.image.")) && !layers.contains(kind))
      layers[kind] = layer[QLatin1String("digest")].toString();
  }
  return layers;
}

}  // namespace

void ModelSearch::searchOllama(const ModelPlace& place) {
  const QString root = place.path + QStringLiteral("/manifests");
  QStringList manifests;
  QDirIterator entries(root, QDir::Files | QDir::NoDotAndDotDot, QDirIterator::Subdirectories);
  while (entries.hasNext() && countEntry() && manifests.size() < kMaxManifests)
    manifests.append(entries.next().mid(root.size() + 1));
  // A file may have several names; "latest" is the least specific, so it is last.
  std::sort(manifests.begin(), manifests.end(), [](const QString& a, const QString& b) {
    const bool latestA = a.endsWith(QLatin1String("/latest"));
    const bool latestB = b.endsWith(QLatin1String("/latest"));
    return latestA != latestB ? latestB : a < b;
  });
  for (const QString& manifest : std::as_const(manifests)) {
    if (stopped()) return;
    addManifest(place, root + u'/' + manifest, ollamaName(manifest));
  }
}

void ModelSearch::addManifest(const ModelPlace& place, const QString& manifest,
                              const QString& name) {
  const QHash<QString, QString> layers = layersOf(readSmallFile(manifest, kMaxManifestBytes));
  const QString digest = layers.value(QStringLiteral("model"));
  const bool hasModel = layers.contains(QStringLiteral("model"));
  if (layers.isEmpty() || (hasModel && digest.isEmpty())) {
    leaveOut(manifest, place,
             ModelCacheTexts::tr("Ollama's record of %1 cannot be read. Pull the model again.")
                 .arg(name));
    return;
  }
  if (!hasModel) return;  // It has separate tensors, or names a remote model.
  const QString blob = blobPath(place.path, digest);
  if (blob.isEmpty() || !QFileInfo(blob).isFile()) {  // A pipe or device would not end.
    leaveOut(manifest, place,
             ModelCacheTexts::tr("The file of %1 is missing. Pull the model again with Ollama.")
                 .arg(name));
    return;
  }
  if (!isNew(blob, place)) return;
  const bool adapted = layers.contains(QStringLiteral("adapter"));
  const QString note =
      adapted ? ModelCacheTexts::tr("Ollama adds an adapter to it, which Quire leaves out.")
              : QString();
  m_found.candidates.append({.path = blob,
                             .name = name,
                             .source = place.source,
                             .place = place.path,
                             .files = {blob},
                             .note = note});
}

/// Searches the snapshot of the branch "main" of each repository; all snapshots if there is none.
void ModelSearch::searchHuggingFace(const ModelPlace& place) {
  const QLatin1String prefix("models--");
  const QStringList repositories =
      QDir(place.path).entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name);
  for (const QString& folder : repositories) {
    if (!countEntry()) return;
    if (!folder.startsWith(prefix)) continue;
    QString repository = folder.mid(prefix.size());
    repository.replace(QLatin1String("--"), QLatin1String("/"));
    const QString root = place.path + u'/' + folder;
    const QDir snapshots(root + QStringLiteral("/snapshots"));
    const QString main =
        QString::fromLatin1(readSmallFile(root + QStringLiteral("/refs/main"), 256)).trimmed();
    QStringList revisions = snapshots.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Time);
    if (revisions.contains(main)) revisions = {main};
    for (const QString& revision : revisions)
      searchTree(snapshots.filePath(revision), {place, repository});
  }
}

}  // namespace quire
