#include "app/engine/outbox.h"

#include <algorithm>
#include <utility>

namespace quire {

void Outbox::push(ServiceEvent event) {
  bool wake = false;
  {
    const std::lock_guard lock(m_mutex);
    if (!replaced(event)) m_events.push_back(std::move(event));
    wake = !std::exchange(m_awake, true);
  }
  if (wake) m_wake();
}

std::vector<ServiceEvent> Outbox::take() {
  const std::lock_guard lock(m_mutex);
  m_awake = false;
  return std::exchange(m_events, {});
}

/// Of progress and block maps only the newest matters.
bool Outbox::replaced(ServiceEvent& event) {
  const bool isReplaceable =
      std::holds_alternative<LoadProgressed>(event) || std::holds_alternative<BlocksMapped>(event);
  if (!isReplaceable || m_events.empty()) return false;
  const auto old = std::find_if(m_events.begin(), m_events.end(), [&](const ServiceEvent& queued) {
    return queued.index() == event.index();
  });
  const bool keepsOrder = old != m_events.end() && (std::holds_alternative<BlocksMapped>(event) ||
                                                    old == std::prev(m_events.end()));
  if (keepsOrder) *old = std::move(event);
  return keepsOrder;
}

}  // namespace quire
