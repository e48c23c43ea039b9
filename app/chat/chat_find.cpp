#include "app/chat/chat_find.h"

#include <QElapsedTimer>

#include <algorithm>

namespace quire {

/// How long the window's thread searches before it returns to the event loop.
constexpr qint64 kScanSliceMs = 4;

ChatFind::ChatFind(TimelineModel& timeline, QObject* parent)
    : QObject(parent), m_timeline(timeline) {
  m_timer.setSingleShot(true);
  m_timer.setInterval(0);
  connect(&m_timer, &QTimer::timeout, this, &ChatFind::scan);
  connect(&timeline, &TimelineModel::messagesChanged, this, &ChatFind::onMessagesChanged);
  connect(&timeline, &TimelineModel::textsChanged, this, &ChatFind::onTextsChanged);
}

void ChatFind::open() {
  if (!m_isOpen) {
    m_isOpen = true;
    emit openChanged();
    restart();
  }
  emit focusWanted();
}

void ChatFind::close() {
  if (!m_isOpen) return;
  m_isOpen = false;
  restart();
  emit openChanged();
}

void ChatFind::setQuery(const QString& query) {
  if (query == m_query) return;
  m_query = query;
  emit queryChanged();
  restart();
}

/// Searches everything anew, or forgets everything while nothing is searched.
void ChatFind::restart() {
  m_pattern = m_isOpen ? FindPattern(m_query) : FindPattern();
  m_found.clear();
  m_queue.clear();
  m_timer.stop();
  if (m_current.message != 0) m_origin = {m_current.message, m_current.block};
  m_current = {};
  m_isMoveWanted = isSearching();
  onMessagesChanged();
  emit changed();
}

void ChatFind::onMessagesChanged() {
  if (!isSearching()) return;
  const QList<RecordId> messages = m_timeline.loadedMessages();
  const QSet<RecordId> shown(messages.cbegin(), messages.cend());
  const auto isGone = [&](RecordId id) { return !shown.contains(id); };
  m_queue.removeIf(isGone);
  m_found.removeIf([&](const auto& found) { return isGone(found.key()); });
  if (isGone(m_current.message)) m_current = {};
  for (const RecordId id : messages) {
    if (m_found.contains(id)) continue;
    m_found.insert(id, {});
    m_queue.append(id);
  }
  if (!m_timer.isActive()) m_timer.start();
}

void ChatFind::onTextsChanged(RecordId message, int from) {
  const auto found = m_found.find(message);
  if (!isSearching() || found == m_found.end()) return;
  while (!found->hits.isEmpty() && found->hits.last().block >= from)
    found->total -= found->hits.takeLast().count;
  found->next.block = std::min(found->next.block, from);
  if (!m_queue.contains(message)) m_queue.append(message);
  if (!m_timer.isActive()) m_timer.start();
}

void ChatFind::scan() {
  QElapsedTimer clock;
  clock.start();
  while (!m_queue.isEmpty() && clock.elapsed() < kScanSliceMs) {
    if (!scanNext(m_queue.first())) m_queue.removeFirst();
  }
  if (!m_queue.isEmpty()) m_timer.start();
  chooseCurrent();
  emit changed();
}

bool ChatFind::scanNext(RecordId message) {
  Found& found = m_found[message];
  const int block = found.next.block;
  const auto texts = m_timeline.readTexts(message, found.next);
  if (!texts) return false;
  qsizetype count = 0;
  for (const QString& text : *texts) count += m_pattern.find(text).size();
  if (count == 0) return true;
  found.hits.append({block, static_cast<int>(count)});
  found.total += static_cast<int>(count);
  return true;
}

int ChatFind::total() const {
  int total = 0;
  for (const Found& found : m_found) total += found.total;
  return total;
}

/// Keeps the current match if it still exists. Otherwise it becomes the first one from the origin
/// on, or the first of all once everything was searched.
void ChatFind::chooseCurrent() {
  if (m_current.message != 0) {
    const bool isPending = m_queue.contains(m_current.message);
    if (isPending || indexOf(m_current) >= 0) return;
    m_origin = {m_current.message, m_current.block};
    m_current = {};
  }
  const QList<RecordId> messages = m_timeline.loadedMessages();
  const bool isKnown = messages.contains(m_origin.first);
  // Matches between the origin and those found so far may still be missing.
  const bool isComplete = m_queue.isEmpty() && !m_timeline.isLoading();
  if (isKnown) m_current = firstFrom(m_origin.first, m_origin.second);
  if (m_current.message == 0 && isComplete) m_current = matchAt(0);
  if (m_current.message == 0 || !std::exchange(m_isMoveWanted, false)) return;
  emit moved();
}

/// The first match at or after a place, if everything up to it was searched.
ChatFind::Current ChatFind::firstFrom(RecordId message, int block) const {
  const QList<RecordId> messages = m_timeline.loadedMessages();
  for (qsizetype i = messages.indexOf(message); i < messages.size(); ++i) {
    const Found found = m_found.value(messages[i]);
    for (const Hit& hit : found.hits) {
      if (messages[i] == message && hit.block < block) continue;
      return {messages[i], hit.block, 0};
    }
    if (m_queue.contains(messages[i])) break;
  }
  return {};
}

/// The match of a number from 0 on; none if there is none.
ChatFind::Current ChatFind::matchAt(int index) const {
  for (const RecordId id : m_timeline.loadedMessages()) {
    const auto found = m_found.constFind(id);
    if (found == m_found.cend()) continue;
    if (index >= found->total) {
      index -= found->total;
      continue;
    }
    for (const Hit& hit : found->hits) {
      if (index < hit.count) return {id, hit.block, index};
      index -= hit.count;
    }
  }
  return {};
}

/// The number of a match from 0 on; -1: there is no such match.
int ChatFind::indexOf(const Current& match) const {
  int index = 0;
  for (const RecordId id : m_timeline.loadedMessages()) {
    const auto found = m_found.constFind(id);
    if (found == m_found.cend()) continue;
    if (id != match.message) {
      index += found->total;
      continue;
    }
    for (const Hit& hit : found->hits) {
      if (hit.block == match.block) return match.ordinal < hit.count ? index + match.ordinal : -1;
      index += hit.count;
    }
    break;
  }
  return -1;
}

QString ChatFind::countText() const {
  if (!isSearching()) return {};
  const int all = total();
  if (all == 0) return isMissing() ? tr("No matches") : QString();
  const int index = m_current.message != 0 ? indexOf(m_current) : -1;
  return index < 0 ? QString() : tr("%L1 of %L2").arg(index + 1).arg(all);
}

void ChatFind::move(int step) {
  if (!m_isOpen) return open();
  const int all = total();
  if (all == 0) return;
  const int index = m_current.message != 0 ? indexOf(m_current) : -1;
  m_current = matchAt(index < 0 ? 0 : ((index + step) % all + all) % all);
  m_isMoveWanted = false;
  emit changed();
  emit moved();
}

void ChatFind::setOrigin(int row) {
  m_origin = m_timeline.placeOfRow(row);
}

int ChatFind::currentRow() const {
  return m_current.message == 0 ? -1 : m_timeline.rowOfBlock(m_current.message, m_current.block);
}

void ChatFind::unfoldCurrent() {
  if (m_current.message != 0) m_timeline.unfold(m_current.message, m_current.block);
}

}  // namespace quire
