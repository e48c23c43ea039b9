#pragma once

#include <QList>
#include <QMap>
#include <QObject>
#include <QThread>

#include <stop_token>

#include "app/hub/download.h"

namespace quire {

using DownloadId = quint64;

class DownloadWorker;

/// Downloads several models, some at once, the others after them. Nothing is sent before add().
///
/// Thread: that of its creation, which has an event loop; network and files have a thread of their
/// own, so that no call waits for them. Destroying it stops everything; the parts stay, and the
/// same plan goes on from them (see unfinishedDownloads()).
class DownloadQueue : public QObject {
  Q_OBJECT

 public:
  explicit DownloadQueue(const DownloadOptions& options = {}, QObject* parent = nullptr);
  ~DownloadQueue() override;

  /// Appends a download to the queue.
  DownloadId add(const DownloadPlan& plan);
  /// The same, but it waits for resume(). `bytes`: how many are on the disk already, to be shown.
  DownloadId addPaused(const DownloadPlan& plan, qint64 bytes);
  void pause(DownloadId id);
  void resume(DownloadId id);  ///< Also after a failure.
  void cancel(DownloadId id);  ///< Removes what was downloaded.
  /// Forgets a download that has ended.
  void forget(DownloadId id);

  /// Downloads start in this order; those that it leaves out come after the others.
  void setOrder(const QList<DownloadId>& order);
  void setMaxRunning(int count);         ///< At least 1; initially 2.
  void setBytesPerSecond(qint64 bytes);  ///< Of all together; 0: no limit.

  QList<DownloadId> ids() const { return m_entries.keys(); }  ///< As they were added.
  DownloadPlan plan(DownloadId id) const { return m_entries.value(id).plan; }
  DownloadStatus status(DownloadId id) const { return m_entries.value(id).status; }
  /// The sentence of its error in the window's language; empty: there is none.
  QString errorText(DownloadId id) const;

 signals:
  void changed(quire::DownloadId id);
  /// It is done, failed or was cancelled.
  void ended(quire::DownloadId id);

 private:
  struct Entry {
    DownloadPlan plan;
    DownloadStatus status;
  };
  DownloadId append(const DownloadPlan& plan, const DownloadStatus& status);
  void onStatus(DownloadId id, const DownloadStatus& status);

  std::stop_source m_stop;
  QThread m_thread;
  DownloadWorker* m_worker;  ///< In m_thread.
  QMap<DownloadId, Entry> m_entries;
  DownloadId m_lastId = 0;
};

}  // namespace quire
