#include "app/hub/download_worker.h"

#include <utility>

namespace quire {

DownloadWorker::DownloadWorker(const DownloadOptions& options, Report report)
    : m_options(options), m_report(std::move(report)), m_reportTimer(this) {
  m_reportTimer.setSingleShot(true);
  m_reportTimer.setInterval(100);
  connect(&m_reportTimer, &QTimer::timeout, this, [this] { reportAll(); });
}

/// The downloads use what this object owns.
DownloadWorker::~DownloadWorker() {
  for (const Entry& entry : std::as_const(m_entries)) delete entry.download;
}

bool DownloadWorker::isRunning(const DownloadStatus& status) {
  return status.state == DownloadState::kChecking || status.state == DownloadState::kRunning ||
         status.state == DownloadState::kRetrying;
}

void DownloadWorker::add(DownloadId id, const DownloadPlan& plan, bool isWanted) {
  DownloadTools tools{.limit = m_limit,
                      .promisedBytes = [this, id] { return promisedBytes(id); },
                      .changed = [this, id] { onChanged(id); }};
  m_entries[id] = {.download = new Download(plan, m_options, std::move(tools), this),
                   .isWanted = isWanted};
  startWaiting();
}

void DownloadWorker::startWaiting() {
  int numRunning = 0;
  for (const Entry& entry : std::as_const(m_entries)) {
    if (isRunning(entry.download->status())) ++numRunning;
  }
  const QList<DownloadId> ids = inOrder();
  for (const DownloadId id : ids) {
    Entry& entry = m_entries[id];
    if (numRunning >= m_maxRunning) return;
    if (!entry.isWanted || isRunning(entry.download->status())) continue;
    entry.isWanted = false;
    ++numRunning;
    entry.download->start();
  }
}

QList<DownloadId> DownloadWorker::inOrder() const {
  QList<DownloadId> ids = m_order;
  ids.removeIf([this](DownloadId id) { return !m_entries.contains(id); });
  for (auto entry = m_entries.begin(); entry != m_entries.end(); ++entry) {
    if (!ids.contains(entry.key())) ids.append(entry.key());
  }
  return ids;
}

void DownloadWorker::pause(DownloadId id) {
  const auto found = m_entries.find(id);
  if (found == m_entries.end()) return;
  found->isWanted = false;
  found->download->pause();
}

void DownloadWorker::resume(DownloadId id) {
  const auto found = m_entries.find(id);
  if (found == m_entries.end()) return;
  const DownloadStatus& status = found->download->status();
  const bool isOver =
      status.state == DownloadState::kDone || status.state == DownloadState::kCancelled;
  if (isRunning(status) || isOver) return;
  found->isWanted = true;
  found->download->enqueue();
  startWaiting();
}

void DownloadWorker::cancel(DownloadId id) {
  const auto found = m_entries.find(id);
  if (found == m_entries.end()) return;
  found->isWanted = false;
  found->download->cancel();
}

void DownloadWorker::remove(DownloadId id) {
  const auto found = m_entries.find(id);
  if (found == m_entries.end()) return;
  found->download->deleteLater();
  m_entries.erase(found);
}

void DownloadWorker::setMaxRunning(int count) {
  m_maxRunning = count;
  startWaiting();
}

void DownloadWorker::onChanged(DownloadId id) {
  const auto found = m_entries.find(id);
  if (found == m_entries.end()) return;
  found->isChanged = true;
  const DownloadStatus& status = found->download->status();
  if (status.state == found->reported) {
    if (!m_reportTimer.isActive()) m_reportTimer.start();
    return;
  }
  report(id, *found);
  // The next one starts from the event loop, when this one is done with its step.
  if (!isRunning(status)) {
    QMetaObject::invokeMethod(
        this, [this] { startWaiting(); }, Qt::QueuedConnection);
  }
}

void DownloadWorker::report(DownloadId id, Entry& entry) {
  entry.isChanged = false;
  entry.reported = entry.download->status().state;
  m_report(id, entry.download->status());
}

void DownloadWorker::reportAll() {
  for (auto entry = m_entries.begin(); entry != m_entries.end(); ++entry) {
    if (entry->isChanged) report(entry.key(), *entry);
  }
}

/// What the others that run have yet to write.
qint64 DownloadWorker::promisedBytes(DownloadId besides) const {
  qint64 bytes = 0;
  for (auto entry = m_entries.begin(); entry != m_entries.end(); ++entry) {
    const DownloadStatus& status = entry->download->status();
    if (entry.key() == besides || !isRunning(status)) continue;
    bytes += status.totalBytes - status.bytes;
  }
  return bytes;
}

}  // namespace quire
