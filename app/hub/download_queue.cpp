#include "app/hub/download_queue.h"

#include <algorithm>

#include "app/error_strings.h"
#include "app/hub/download_worker.h"

namespace quire {

DownloadQueue::DownloadQueue(const DownloadOptions& options, QObject* parent) : QObject(parent) {
  m_thread.setObjectName(QStringLiteral("downloads"));
  DownloadOptions stoppable = options;
  stoppable.stop = m_stop.get_token();
  m_worker = new DownloadWorker(stoppable, [this](DownloadId id, const DownloadStatus& status) {
    QMetaObject::invokeMethod(
        this, [this, id, status] { onStatus(id, status); }, Qt::QueuedConnection);
  });
  m_worker->moveToThread(&m_thread);
  m_thread.start();
}

DownloadQueue::~DownloadQueue() {
  m_stop.request_stop();
  m_worker->deleteLater();  // By the thread, when its event loop ends.
  m_thread.quit();
  m_thread.wait();
}

DownloadId DownloadQueue::add(const DownloadPlan& plan) {
  return append(plan, {.totalBytes = plan.bytes()});
}

DownloadId DownloadQueue::addPaused(const DownloadPlan& plan, qint64 bytes) {
  return append(plan,
                {.state = DownloadState::kPaused, .bytes = bytes, .totalBytes = plan.bytes()});
}

DownloadId DownloadQueue::append(const DownloadPlan& plan, const DownloadStatus& status) {
  const DownloadId id = ++m_lastId;
  m_entries[id] = {plan, status};
  const bool isWanted = status.state != DownloadState::kPaused;
  QMetaObject::invokeMethod(
      m_worker, [worker = m_worker, id, plan, isWanted] { worker->add(id, plan, isWanted); },
      Qt::QueuedConnection);
  return id;
}

void DownloadQueue::pause(DownloadId id) {
  QMetaObject::invokeMethod(
      m_worker, [worker = m_worker, id] { worker->pause(id); }, Qt::QueuedConnection);
}

void DownloadQueue::resume(DownloadId id) {
  QMetaObject::invokeMethod(
      m_worker, [worker = m_worker, id] { worker->resume(id); }, Qt::QueuedConnection);
}

void DownloadQueue::cancel(DownloadId id) {
  QMetaObject::invokeMethod(
      m_worker, [worker = m_worker, id] { worker->cancel(id); }, Qt::QueuedConnection);
}

void DownloadQueue::forget(DownloadId id) {
  if (!status(id).hasEnded()) return;
  m_entries.remove(id);
  QMetaObject::invokeMethod(
      m_worker, [worker = m_worker, id] { worker->remove(id); }, Qt::QueuedConnection);
}

void DownloadQueue::setOrder(const QList<DownloadId>& order) {
  QMetaObject::invokeMethod(
      m_worker, [worker = m_worker, order] { worker->setOrder(order); }, Qt::QueuedConnection);
}

void DownloadQueue::setMaxRunning(int count) {
  QMetaObject::invokeMethod(
      m_worker, [worker = m_worker, count] { worker->setMaxRunning(std::max(count, 1)); },
      Qt::QueuedConnection);
}

void DownloadQueue::setBytesPerSecond(qint64 bytes) {
  QMetaObject::invokeMethod(
      m_worker, [worker = m_worker, bytes] { worker->setBytesPerSecond(bytes); },
      Qt::QueuedConnection);
}

QString DownloadQueue::errorText(DownloadId id) const {
  const std::optional<Error> error = status(id).error;
  return error ? quire::errorText(*error) : QString();
}

void DownloadQueue::onStatus(DownloadId id, const DownloadStatus& status) {
  const auto found = m_entries.find(id);
  if (found == m_entries.end()) return;
  // A failed one may be cancelled, which ends it again.
  const bool hasEnded = status.hasEnded() && status.state != found->status.state;
  const qint64 knownBytes = found->status.bytes;
  found->status = status;
  // One that waits has not looked at the disk in this run.
  if (status.state == DownloadState::kWaiting)
    found->status.bytes = std::max(status.bytes, knownBytes);
  emit changed(id);
  if (hasEnded) emit ended(id);
}

}  // namespace quire
