#pragma once

#include <QHash>

#include <optional>

#include "app/hub/download_plan.h"

namespace quire {

/// The journal of a download, "download.json" in its staging folder, and a lock against a second
/// program that downloads the same.
///
/// Thread: one at a time. Invariants: the file is replaced as a whole, durably.
class DownloadJournal {
 public:
  /// What was known of a part when the journal was written.
  struct Part {
    QByteArray hash;
    QByteArray etag;         ///< Of the response that it began with; strong. Empty: none.
    qint64 syncedBytes = 0;  ///< Written through to the disk.
  };

  explicit DownloadJournal(const DownloadPlan& plan) : m_plan(plan) {}
  ~DownloadJournal();
  DownloadJournal(const DownloadJournal&) = delete;
  DownloadJournal& operator=(const DownloadJournal&) = delete;

  /// Makes the folder, locks it and reads what an earlier run left. Errors: kIo.
  Result<void> open();
  /// The folder for the files.
  QString filesPath() const { return m_plan.stagingPath() + QStringLiteral("/files"); }

  Part part(const QString& path) const { return m_parts.value(path); }
  void setPart(const QString& path, const Part& part) { m_parts[path] = part; }
  /// How much of a part on the disk may be used: all of it, or after a power failure what was
  /// written through; nothing of a part for another hash.
  qint64 trustedBytes(const PlannedFile& file) const;
  Result<void> save();
  /// Whether nothing was downloaded yet.
  bool isEmpty() const;
  /// Removes the staging folder with everything in it.
  void remove();

 private:
  void read();
  Result<void> discardOthers();

  const DownloadPlan m_plan;
  QHash<QString, Part> m_parts;
  bool m_isOfThisBoot = false;  ///< The machine has not restarted since the journal was written.
  int m_lock = -1;
};

/// The plans of the downloads that are not complete, for another start of the program. Tokens are
/// not stored.
QList<DownloadPlan> unfinishedDownloads(const QString& folder);

}  // namespace quire
