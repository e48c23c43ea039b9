#include "app/models/scan/facts_cache.h"

#include <QDir>
#include <QFileInfo>

#include "app/models/scan/small_json.h"

namespace quire {
namespace {

/// Enough for 15,000 models.
constexpr JsonLimits kFactsLimits = {.max_bytes = 16 << 20, .max_depth = 8, .max_values = 500'000};
const QString kVersion = QStringLiteral("version");
const QString kModels = QStringLiteral("models");
const QString kStamp = QStringLiteral("stamp");

}  // namespace

FactsCache::FactsCache(const QString& path, const QString& version)
    : m_path(path), m_version(version) {}

void FactsCache::load() {
  if (m_path.isEmpty()) return;
  const QJsonObject root = readSmallJson(m_path, kFactsLimits);
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
  // It names the user's files, so no other user may read it.
  static_cast<void>(replaceSmallJson(m_path, {{kVersion, m_version}, {kModels, models}}));
}

}  // namespace quire
