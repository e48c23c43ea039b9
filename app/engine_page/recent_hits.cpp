#include "app/engine_page/recent_hits.h"

namespace quire {

void RecentHits::restart(const Counts& total) {
  m_changes.clear();
  m_total = total;
}

void RecentHits::add(qint64 nowMs, const Counts& total) {
  if (total == m_total) return;
  const bool wasReset = total.prompt < m_total.prompt || total.cached < m_total.cached;
  if (wasReset) restart({});
  const Counts more = {total.prompt - m_total.prompt, total.cached - m_total.cached};
  m_changes.push_back({nowMs, more});
  m_total = total;
  while (nowMs - m_changes.front().atMs > kWindowMs) m_changes.pop_front();
}

RecentHits::Counts RecentHits::recent(qint64 nowMs) const {
  Counts sum;
  for (const Change& change : m_changes) {
    if (nowMs - change.atMs > kWindowMs) continue;
    sum.prompt += change.more.prompt;
    sum.cached += change.more.cached;
  }
  return sum;
}

}  // namespace quire
