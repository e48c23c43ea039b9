#pragma once

#include <QHash>
#include <QString>

#include <mutex>
#include <optional>

#include "kernels/base/result.h"

namespace quire {

/// What became of reading each model: it was read, or it is in quarantine. Kept in a file, which
/// may be deleted at any time; quarantine is written to it at once, the rest at the end.
///
/// Thread: any; of the calls, quarantine() alone writes the file.
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
  void save();  ///< Writes what has changed.
  void write(const QHash<QString, Verdict>& all) const;

  const QString m_path;
  const QString m_version;
  std::mutex m_writing;  ///< Held while the file is written, so that the last version stays.
  mutable std::mutex m_mutex;
  QHash<QString, Verdict> m_verdicts;  ///< Guarded by m_mutex, as is the next.
  bool m_changed = false;
};

}  // namespace quire
