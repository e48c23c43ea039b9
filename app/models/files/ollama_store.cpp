#include "app/models/files/ollama_store.h"

#include <QCoreApplication>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QHash>
#include <QJsonArray>
#include <QJsonObject>
#include <QRegularExpression>
#include <QSet>

#include "app/models/scan/small_json.h"
#include "platform/file.h"
#include "platform/folder.h"

namespace quire {
namespace {

constexpr JsonLimits kManifestLimits = {.max_bytes = 1 << 20, .max_depth = 16};
constexpr int kMaxManifests = 10'000;

struct OllamaStoreTexts {
  Q_DECLARE_TR_FUNCTIONS(quire::OllamaStoreTexts)
};

/// What Ollama's manifests say.
struct Manifests {
  QHash<QString, QSet<QString>> digests;  ///< By the manifest's path: 64 digits each.
  bool isComplete = true;                 ///< All of them were read.
};

QString digitsOf(const QString& digest) {
  static const QRegularExpression kDigest(QStringLiteral("^sha256[:-]([0-9a-f]{64})$"));
  return kDigest.match(digest).captured(1);
}

/// The blobs that a manifest names; empty if it cannot be read.
QSet<QString> digestsIn(const QString& manifest) {
  const QJsonObject root = readSmallJson(manifest, kManifestLimits);
  QSet<QString> digests;
  const auto add = [&](const QJsonValue& layer) {
    const QString digits = digitsOf(layer[QLatin1String("digest")].toString());
    if (!digits.isEmpty()) digests.insert(digits);
  };
  add(root[QLatin1String("config")]);
  const QJsonArray layers = root[QLatin1String("layers")].toArray();
  for (const QJsonValue& layer : layers) add(layer);
  return digests;
}

Manifests readManifests(const QString& root) {
  Manifests manifests;
  QDirIterator entries(root + QStringLiteral("/manifests"),
                       QDir::Files | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot,
                       QDirIterator::Subdirectories);
  while (entries.hasNext()) {
    const QString path = entries.next();
    const QSet<QString> digests = digestsIn(path);
    if (digests.isEmpty() || manifests.digests.size() >= kMaxManifests) {
      manifests.isComplete = false;
      return manifests;
    }
    manifests.digests.insert(path, digests);
  }
  return manifests;
}

/// "qwen3:8b" for "registry.ollama.ai/library/qwen3/8b".
QString ollamaNameOf(QString manifest) {
  for (const QLatin1String usual :
       {QLatin1String("registry.ollama.ai/"), QLatin1String("library/")})
    if (manifest.startsWith(usual)) manifest = manifest.mid(usual.size());
  const qsizetype slash = manifest.lastIndexOf(u'/');
  return slash < 0 ? manifest : manifest.left(slash) + u':' + manifest.mid(slash + 1);
}

QString removalOf(const QString& name) {
  return commandFor(QStringLiteral("ollama rm"), {}, name);
}

QString blobOf(const QString& root, const QString& digits) {
  const QString path = root + QStringLiteral("/blobs/sha256-") + digits;
  if (QFileInfo::exists(path)) return path;
  return root + QStringLiteral("/blobs/sha256:") + digits;  // Before version 0.1.30.
}

bool isWritable(const QString& folder) {
  return platform::may_change(platform::utf8_path(folder.toStdString()));
}

}  // namespace

QByteArray ollamaDigest(const QString& path) {
  const QFileInfo info(path);
  if (QFileInfo(info.path()).fileName() != QLatin1String("blobs")) return {};
  return digitsOf(info.fileName()).toLatin1();
}

bool isOllamaBlob(const QString& path) {
  return !ollamaDigest(path).isEmpty();
}

void addOllamaParts(const StoredModel& model, ModelParts& parts) {
  const QString root = QFileInfo(QFileInfo(model.path).path()).path();
  const QString digest = QString::fromLatin1(ollamaDigest(model.path));
  const Manifests manifests = readManifests(root);
  QStringList users;
  for (auto at = manifests.digests.begin(); at != manifests.digests.end(); ++at) {
    if (at.value().contains(digest)) users.append(at.key());
  }
  users.sort();
  QSet<QString> own = {digest};
  if (users.size() == 1) {
    own = manifests.digests.value(users.first());
    for (auto at = manifests.digests.begin(); at != manifests.digests.end(); ++at) {
      if (at.key() != users.first()) own.subtract(at.value());
    }
    if (const auto file = storedFile(users.first())) parts.files.append(*file);
  }
  for (const QString& digits : std::as_const(own)) {
    if (const auto file = storedFile(blobOf(root, digits))) parts.files.append(*file);
  }
  QStringList commands;
  for (const QString& user : std::as_const(users))
    commands.append(
        removalOf(ollamaNameOf(user.mid(root.size() + QStringLiteral("/manifests/").size()))));
  commands.removeDuplicates();
  if (users.size() > 1) {
    parts.problem =
        OllamaStoreTexts::tr("%n name(s) in Ollama share this file. Remove them with: %1", nullptr,
                             static_cast<int>(users.size()))
            .arg(commands.join(QStringLiteral("; ")));
  } else if (!manifests.isComplete) {
    parts.problem = OllamaStoreTexts::tr(
        "Ollama's records cannot be read, so another of its models may need this file. Remove it "
        "with Ollama.");
  } else if (!isWritable(root + QStringLiteral("/blobs")) ||
             (users.size() == 1 && !isWritable(QFileInfo(users.first()).path()))) {
    parts.problem =
        OllamaStoreTexts::tr("Ollama's folder belongs to another user. Remove it with: %1")
            .arg(commands.value(0, removalOf(model.name)));
  }
}

}  // namespace quire
