#include "app/models/files/hub_cache.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>

namespace quire {
namespace {

constexpr int kMostLinks = 10'000;

struct HubCacheTexts {
  Q_DECLARE_TR_FUNCTIONS(quire::HubCacheTexts)
};

QRegularExpressionMatch matched(const QString& path) {
  static const QRegularExpression kSnapshot(
      QStringLiteral("^(.*/models--([^/]+))/snapshots/[^/]+(/.*)?$"));
  return kSnapshot.match(path);
}

/// The names of the links of a split set, or of the whole snapshot for a folder.
QStringList linksOf(const QString& path) {
  const QFileInfo info(path);
  if (info.isDir()) {
    QStringList links;
    for (const QString& name : QDir(path).entryList(QDir::Files, QDir::Name))
      links.append(path + u'/' + name);
    return links;
  }
  static const QRegularExpression kPart(QStringLiteral("-\\d{5}(-of-\\d{5}\\.gguf)$"));
  const auto part = kPart.match(path);
  if (!part.hasMatch()) return {path};
  const QString stem = info.fileName().left(info.fileName().size() - part.captured(0).size());
  QStringList links;
  for (const QString& name : QDir(info.path()).entryList({u'*' + part.captured(1)}, QDir::Files)) {
    if (name.startsWith(stem + u'-')) links.append(info.path() + u'/' + name);
  }
  return links;
}

}  // namespace

bool isInHubCache(const QString& path) {
  return matched(path).hasMatch();
}

void addHubCacheParts(const StoredModel& model, ModelParts& parts) {
  const QRegularExpressionMatch match = matched(model.path);
  const QString repository = QFileInfo(match.captured(1)).canonicalFilePath();
  for (const QString& link : linksOf(model.path).mid(0, kMostLinks)) {
    const QString blob = QFileInfo(link).canonicalFilePath();
    if (repository.isEmpty() || !blob.startsWith(repository + u'/')) continue;
    if (const auto file = storedFile(blob)) parts.files.append(*file);
  }
  QString name = match.captured(2);
  name.replace(QLatin1String("--"), QLatin1String("/"));
  parts.problem =
      HubCacheTexts::tr(
          "The Hugging Face libraries keep it in their cache, where "
          "several versions share files. Remove it with: %1")
          .arg(commandFor(QStringLiteral("hf cache rm"), QStringLiteral("model/"), name));
}

}  // namespace quire
