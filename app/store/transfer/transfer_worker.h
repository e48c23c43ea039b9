#pragma once

#include <QObject>

#include <atomic>
#include <functional>
#include <thread>
#include <utility>

#include "app/store/backup/backups.h"
#include "app/store/id_source.h"
#include "app/store/records.h"
#include "app/store/transfer/merge_report.h"
#include "kernels/base/result.h"

namespace quire {

/// Export, import and backups without the window ever waiting: one at a time, each on a thread of
/// its own.
///
/// Thread: the window's for every call and signal.
/// Invariants: after a call that returned true, `finished` or `failed` comes once; the destructor
/// gives up what is going on and waits for it.
class TransferWorker : public QObject {
  Q_OBJECT

 public:
  /// `ids`: the window's own, for what is imported. It outlives this object.
  TransferWorker(const QString& folder, IdSource& ids, QObject* parent = nullptr);
  ~TransferWorker() override;

  /// Called on the working thread before each piece of work: waits until what the window has
  /// queued for the store is there to be read.
  void setSettle(std::function<void()> settle) { m_settle = std::move(settle); }

  bool isBusy() const { return m_isBusy; }

  // False, and nothing happens, while another is going on. The chats' ids, or none for all.
  bool exportJson(const QList<RecordId>& chatIds, const QString& path);
  bool exportMarkdown(const QList<RecordId>& chatIds, const QString& path);
  bool importJson(const QString& path);
  bool importMarkdown(const QString& path);
  bool restoreMerging(const QString& backupPath);
  /// Today's, unless it is there; what is too old goes.
  bool backUp(const BackupPolicy& policy);
  /// One of this moment, unless the newest holds the same already: MergeReport::backedUp.
  bool backUpNow(const BackupPolicy& policy);
  void cancel();

 signals:
  void progressed(double share);  ///< 0 to 1; at most some 20 a second.
  /// What came in, by an import or a restore; all zero for an export or a backup.
  void finished(const MergeReport& report);
  void failed(const QString& sentence);

 private:
  using Work = std::function<Result<MergeReport>()>;

  bool start(Work work);
  bool onProgress(qint64 done, qint64 total);
  void onDone(const Result<MergeReport>& result);

  const QString m_folder;
  IdSource& m_ids;
  std::function<void()> m_settle;
  bool m_isBusy = false;
  std::atomic<bool> m_cancelled = false;
  qint64 m_lastProgressMs = 0;  ///< Touched by the working thread only.
  std::thread m_thread;
};

}  // namespace quire
