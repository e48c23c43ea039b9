#include "app/models/scan/facts_cache.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QSaveFile>

#include "app/error_strings.h"

namespace quire {
namespace {

constexpr qint64 kMaxBytes = 64 << 20;
const QString kVersion = QStringLiteral("version");
const QString kModels = QStringLiteral("models");
const QString kStamp = QStringLiteral("stamp");
const QString kKind = QStringLiteral("kind");
const QString kArchitecture = QStringLiteral("architecture");
const QString kQuantisation = QStringLiteral("quantisation");
const QString kFormat = QStringLiteral("format");
const QString kParameters = QStringLiteral("parameters");
const QString kFileBytes = QStringLiteral("fileBytes");
const QString kContext = QStringLiteral("context");
const QString kObstacle = QStringLiteral("obstacle");

constexpr int kNumKinds = 3;

/// The numbers are far below 2^53, so JSON's doubles represent them exactly.
QJsonObject toJson(const ModelFacts& facts) {
  return {{kKind, static_cast<int>(facts.kind)},
          {kArchitecture, facts.architecture},
          {kQuantisation, facts.quantisation},
          {kFormat, facts.format},
          {kParameters, static_cast<double>(facts.parameters)},
          {kFileBytes, static_cast<double>(facts.fileBytes)},
          {kContext, facts.contextLength},
          {kObstacle, toJson(facts.obstacle)}};
}

/// nullopt if the values are out of range.
std::optional<ModelFacts> factsFromJson(const QJsonObject& json) {
  const int kind = json[kKind].toInt(-1);
  const double parameters = json[kParameters].toDouble(-1.0);
  const double bytes = json[kFileBytes].toDouble(-1.0);
  constexpr double kMost = 9e15;
  if (kind < 0 || kind >= kNumKinds || !(parameters >= 0.0 && parameters < kMost) ||
      !(bytes >= 0.0 && bytes < kMost))
    return std::nullopt;
  ModelFacts facts;
  facts.kind = static_cast<ModelKind>(kind);
  facts.architecture = json[kArchitecture].toString();
  facts.quantisation = json[kQuantisation].toString();
  facts.format = json[kFormat].toString();
  facts.parameters = static_cast<qint64>(parameters);
  facts.fileBytes = static_cast<quint64>(bytes);
  facts.contextLength = json[kContext].toInt();
  facts.obstacle = errorFromJson(json[kObstacle].toObject());
  return facts;
}

}  // namespace

FactsCache::FactsCache(const QString& path, const QString& version)
    : m_path(path), m_version(version) {}

void FactsCache::load() {
  QFile file(m_path);
  if (m_path.isEmpty() || file.size() > kMaxBytes || !file.open(QIODevice::ReadOnly)) return;
  const QJsonObject root = QJsonDocument::fromJson(file.readAll()).object();
  if (root[kVersion].toString() != m_version) return;
  const QJsonObject models = root[kModels].toObject();
  for (auto at = models.begin(); at != models.end(); ++at) {
    const QJsonObject entry = at.value().toObject();
    if (const auto facts = factsFromJson(entry))
      m_entries[at.key()] = {entry[kStamp].toString(), *facts};
  }
}

std::optional<ModelFacts> FactsCache::find(const QString& modelPath, const QString& stamp) const {
  const auto entry = m_entries.constFind(modelPath);
  if (stamp.isEmpty() || entry == m_entries.cend() || entry->stamp != stamp) return std::nullopt;
  return entry->facts;
}

void FactsCache::put(const QString& modelPath, const QString& stamp, const ModelFacts& facts) {
  m_entries[modelPath] = {stamp, facts};
  m_changed = true;
}

void FactsCache::keepOnly(const QSet<QString>& modelPaths) {
  m_changed |=
      m_entries.removeIf([&](const auto& entry) { return !modelPaths.contains(entry.key()); }) > 0;
}

void FactsCache::save() const {
  if (m_path.isEmpty() || !m_changed) return;
  QJsonObject models;
  for (auto at = m_entries.cbegin(); at != m_entries.cend(); ++at) {
    QJsonObject entry = toJson(at->facts);
    entry[kStamp] = at->stamp;
    models[at.key()] = entry;
  }
  QDir().mkpath(QFileInfo(m_path).path());
  QSaveFile file(m_path);
  if (!file.open(QIODevice::WriteOnly)) return;
  file.write(QJsonDocument(QJsonObject{{kVersion, m_version}, {kModels, models}})
                 .toJson(QJsonDocument::Compact));
  file.commit();
}

}  // namespace quire
