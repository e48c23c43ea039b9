#pragma once

#include <QHash>
#include <QSet>

#include <optional>

#include "app/models/scan/model_facts.h"

namespace quire {

/// The facts of models that were read before, by path, so that a scan reads only changed files. It
/// is stored in a file, which may be deleted at any time.
///
/// Thread: any, one at a time.
class FactsCache {
 public:
  /// An empty `path` stores nothing. Entries of another `version` of the reader are discarded.
  FactsCache(const QString& path, const QString& version);

  void load();
  /// nullopt if the path is not known, or was stored with another stamp (see stampOf()).
  std::optional<ModelFacts> find(const QString& modelPath, const QString& stamp) const;
  void put(const QString& modelPath, const QString& stamp, const ModelFacts& facts);
  void keepOnly(const QSet<QString>& modelPaths);
  /// Errors are ignored: the files are then read again by the next scan.
  void save() const;

 private:
  struct Entry {
    QString stamp;
    ModelFacts facts;
  };

  const QString m_path;
  const QString m_version;
  QHash<QString, Entry> m_entries;
  bool m_changed = false;
};

}  // namespace quire
