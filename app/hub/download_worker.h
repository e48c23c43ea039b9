#pragma once

#include <QMap>
#include <QObject>
#include <QTimer>

#include "app/hub/download_queue.h"

namespace quire {

/// The downloads of a DownloadQueue, in its thread.
/// Invariants: statuses are reported in their order, at most ten a second for each download, but
/// each change of the state.
class DownloadWorker : public QObject {
 public:
  using Report = std::function<void(DownloadId id, const DownloadStatus& status)>;

  DownloadWorker(const DownloadOptions& options, Report report);
  ~DownloadWorker() override;

  /// One that is not wanted waits for resume().
  void add(DownloadId id, const DownloadPlan& plan, bool isWanted = true);
  void pause(DownloadId id);
  void resume(DownloadId id);
  void cancel(DownloadId id);
  void remove(DownloadId id);
  void setOrder(const QList<DownloadId>& order) { m_order = order; }
  void setMaxRunning(int count);
  void setBytesPerSecond(qint64 bytes) { m_limit.setBytesPerSecond(bytes); }

 private:
  struct Entry {
    Download* download = nullptr;  ///< A child of this object.
    bool isWanted = true;          ///< It runs when there is room.
    bool isChanged = false;        ///< Since its last report.
    DownloadState reported = DownloadState::kWaiting;
  };
  void startWaiting();
  QList<DownloadId> inOrder() const;
  void onChanged(DownloadId id);
  void report(DownloadId id, Entry& entry);
  void reportAll();
  qint64 promisedBytes(DownloadId besides) const;
  static bool isRunning(const DownloadStatus& status);

  const DownloadOptions m_options;
  const Report m_report;
  SpeedLimit m_limit;
  QMap<DownloadId, Entry> m_entries;
  QList<DownloadId> m_order;  ///< The others come after these.
  QTimer m_reportTimer;
  int m_maxRunning = 2;
};

}  // namespace quire
