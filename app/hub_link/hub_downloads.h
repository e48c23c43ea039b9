#pragma once

#include <QObject>

#include <functional>

#include "app/get_models/hub_access.h"
#include "app/hub/download_queue.h"

namespace quire {

/// A download that an earlier start of the program left.
struct LeftDownload {
  DownloadPlan plan;
  qint64 bytes = 0;  ///< On the disk.
};

/// The window's downloads, in the user's order.
///
/// Thread: the window's; the queue has a thread of its own.
/// Invariants: two downloads never have the same target. An id stays when its download begins anew
/// with another token.
class HubDownloads : public QObject {
  Q_OBJECT

 public:
  /// The token that a download is to use now; empty: none.
  using TokenFor = std::function<QByteArray(const DownloadPlan& plan)>;

  HubDownloads(const DownloadOptions& options, TokenFor tokenFor, QObject* parent);

  /// Appends a download; one of the same target that has ended makes room.
  void add(DownloadPlan plan);
  /// Appends them, paused.
  void addLeft(const QList<LeftDownload>& left);
  QList<HubDownload> list() const;
  void act(quint64 id, DownloadAction action);
  void setBytesPerSecond(qint64 bytes) { m_queue.setBytesPerSecond(bytes); }
  /// Begins a failed download anew, if there is a token for it now.
  void retryWithToken(quint64 id);

 signals:
  void listChanged();
  void changed(quint64 id);
  void done(const QString& path);
  void tokenWanted(quint64 id);  ///< The hub refused it without; said once for each.

 private:
  /// `queued` is another one after each new start with a token.
  struct Entry {
    quint64 id = 0;
    DownloadId queued = 0;
    DownloadPlan plan;
    bool isTokenTried = false;
  };
  void append(const DownloadPlan& plan, DownloadId queued);
  void requeue(Entry& entry);
  void resume(Entry& entry);
  void forget(quint64 id);
  void moveUp(const Entry& entry);
  void remove(quint64 id);
  void sendOrder();
  void onEnded(DownloadId queued);
  Entry* find(quint64 id);
  Entry* findQueued(DownloadId queued);
  Entry* findTarget(const QString& path);
  HubDownload downloadOf(const Entry& entry) const;

  const TokenFor m_tokenFor;
  QList<Entry> m_entries;  ///< In the order in which they start.
  quint64 m_lastId = 0;
  DownloadQueue m_queue;
};

}  // namespace quire
