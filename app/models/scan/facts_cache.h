#pragma once

#include <QHash>
#include <QSet>

#include "app/models/scan/model_facts.h"

namespace quire {

/// What models said when they were last read, by path, so that a second search reads none of them
/// again that has not changed. A file that can be deleted at any time.
///
/// Thread: any, one at a time.
class FactsCache {
 public:
  /// `path`: empty keeps nothing. `version` is that of the reader: another one reads all again.
  FactsCache(const QString& path, const QString& version);

  void load();
  /// Nothing if the path is not known, or was with another stamp.
  std::optional<ModelFacts> find(const QString& modelPath, const QString& stamp) const;
  void put(const QString& modelPath, const QString& stamp, const ModelFacts& facts);
  void keepOnly(const QSet<QString>& modelPaths);
  /// What cannot be written is read again the next time: no more is lost.
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
