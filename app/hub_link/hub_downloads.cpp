#include "app/hub_link/hub_downloads.h"

#include <algorithm>
#include <utility>

#include "app/hub_link/hub_error.h"

namespace quire {

HubDownloads::HubDownloads(const DownloadOptions& options, TokenFor tokenFor, QObject* parent)
    : QObject(parent), m_tokenFor(std::move(tokenFor)), m_queue(options) {
  connect(&m_queue, &DownloadQueue::changed, this, [this](DownloadId queued) {
    if (const Entry* const entry = findQueued(queued)) emit changed(entry->id);
  });
  connect(&m_queue, &DownloadQueue::ended, this, &HubDownloads::onEnded);
}

void HubDownloads::add(DownloadPlan plan) {
  if (const Entry* const same = findTarget(plan.targetPath())) {
    if (!m_queue.status(same->queued).hasEnded()) return;
    remove(same->id);
  }
  plan.token = m_tokenFor(plan);
  append(plan, m_queue.add(plan));
  emit listChanged();
}

void HubDownloads::addLeft(const QList<LeftDownload>& left) {
  for (const LeftDownload& one : left) {
    if (findTarget(one.plan.targetPath()) != nullptr) continue;
    append(one.plan, m_queue.addPaused(one.plan, one.bytes));
  }
  if (!left.isEmpty()) emit listChanged();
}

void HubDownloads::append(const DownloadPlan& plan, DownloadId queued) {
  m_entries.append(
      {.id = ++m_lastId, .queued = queued, .plan = plan, .isTokenTried = !plan.token.isEmpty()});
  sendOrder();
}

void HubDownloads::sendOrder() {
  QList<DownloadId> order;
  for (const Entry& entry : std::as_const(m_entries)) order.append(entry.queued);
  m_queue.setOrder(order);
}

HubDownloads::Entry* HubDownloads::find(quint64 id) {
  const auto found = std::ranges::find(m_entries, id, &Entry::id);
  return found == m_entries.end() ? nullptr : &*found;
}

HubDownloads::Entry* HubDownloads::findQueued(DownloadId queued) {
  const auto found = std::ranges::find(m_entries, queued, &Entry::queued);
  return found == m_entries.end() ? nullptr : &*found;
}

HubDownloads::Entry* HubDownloads::findTarget(const QString& path) {
  const auto found = std::ranges::find_if(
      m_entries, [&](const Entry& entry) { return entry.plan.targetPath() == path; });
  return found == m_entries.end() ? nullptr : &*found;
}

HubDownload HubDownloads::downloadOf(const Entry& entry) const {
  const DownloadStatus status = m_queue.status(entry.queued);
  return {.id = entry.id,
          .title = entry.plan.title,
          .target = entry.plan.targetPath(),
          .path = entry.plan.modelPath(),
          .state = status.state,
          .bytes = status.bytes,
          .totalBytes = status.totalBytes,
          .bytesPerSecond = status.bytesPerSecond,
          .retryInMs = status.retryInMs,
          .problem = status.error ? hubErrorOf(*status.error) : HubError(),
          .wasThere = status.wasThere};
}

QList<HubDownload> HubDownloads::list() const {
  QList<HubDownload> all;
  for (const Entry& entry : m_entries) {
    // It is removed as soon as the queue has said so.
    if (m_queue.status(entry.queued).state != DownloadState::kCancelled)
      all.append(downloadOf(entry));
  }
  return all;
}

void HubDownloads::act(quint64 id, DownloadAction action) {
  Entry* const entry = find(id);
  if (entry == nullptr) return;
  switch (action) {
    case DownloadAction::kPause:
      return m_queue.pause(entry->queued);
    case DownloadAction::kResume:
      return resume(*entry);
    case DownloadAction::kCancel:
      return m_queue.cancel(entry->queued);
    case DownloadAction::kForget:
      return forget(id);
    case DownloadAction::kMoveUp:
      return moveUp(*entry);
  }
}

void HubDownloads::resume(Entry& entry) {
  const bool isFailed = m_queue.status(entry.queued).state == DownloadState::kFailed;
  if (isFailed && m_tokenFor(entry.plan) != entry.plan.token) return requeue(entry);
  m_queue.resume(entry.queued);
}

/// A download keeps the token that it began with, so another token needs another one. It goes on
/// from the bytes on the disk.
void HubDownloads::requeue(Entry& entry) {
  m_queue.forget(entry.queued);
  entry.plan.token = m_tokenFor(entry.plan);
  entry.queued = m_queue.add(entry.plan);
  sendOrder();
  emit changed(entry.id);
}

void HubDownloads::retryWithToken(quint64 id) {
  Entry* const entry = find(id);
  if (entry == nullptr || m_tokenFor(entry->plan).isEmpty()) return;
  if (m_queue.status(entry->queued).state == DownloadState::kFailed) requeue(*entry);
}

void HubDownloads::forget(quint64 id) {
  const Entry* const entry = find(id);
  if (entry == nullptr || !m_queue.status(entry->queued).hasEnded()) return;
  remove(id);
  emit listChanged();
}

void HubDownloads::remove(quint64 id) {
  if (const Entry* const entry = find(id)) m_queue.forget(entry->queued);
  m_entries.removeIf([id](const Entry& entry) { return entry.id == id; });
}

void HubDownloads::moveUp(const Entry& entry) {
  const qsizetype at = &entry - std::as_const(m_entries).data();
  if (at == 0) return;
  m_entries.swapItemsAt(at, at - 1);
  sendOrder();
  emit listChanged();
}

void HubDownloads::onEnded(DownloadId queued) {
  Entry* const entry = findQueued(queued);
  if (entry == nullptr) return;
  const DownloadStatus status = m_queue.status(queued);
  if (status.state == DownloadState::kCancelled) {
    remove(entry->id);
    return emit listChanged();
  }
  emit changed(entry->id);
  if (status.state == DownloadState::kDone) return emit done(entry->plan.modelPath());
  const bool wantsToken = status.error && hubErrorOf(*status.error).needsToken;
  if (wantsToken && !std::exchange(entry->isTokenTried, true)) emit tokenWanted(entry->id);
}

}  // namespace quire
