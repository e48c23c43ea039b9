#pragma once

#include <QHash>
#include <QString>

#include <mutex>
#include <optional>

#include "kernels/base/result.h"

namespace quire {

/// What became of reading each model: it was read, or it is in quarantine. Kept in a file, which
/// may be deleted at any time; quarantine is written to it at once.
///
/// Thread: any.
/// Invariants: a verdict holds for one stamp (stampOfModel); a good one for one version of the
/// reader too, while quarantine survives a new version.
class ModelVerdicts {
 public:
  /// An empty `path` keeps them in memory alone.
  ModelVerdicts(const QString& path, const QString& version);
  ~ModelVerdicts() { save(); }

  /// An empty message: it was read. nullopt: it is not known.
  std::optional<Error> find(const QString& modelPath, const QString& stamp) const;
  void setRead(const QString& modelPath, const QString& stamp);
  void quarantine(const QString& modelPath, const QString& stamp, const Error& why);
  void forget(const QString& modelPath);

 private:
  struct Verdict {
    QString stamp;
    Error why;
  };

  void load();
  void save();
  void write();  ///< With m_mutex.

  const QString m_path;
  const QString m_version;
  mutable std::mutex m_mutex;
  QHash<QString, Verdict> m_verdicts;  ///< Guarded by m_mutex, as is the next.
  bool m_changed = false;
};

}  // namespace quire
