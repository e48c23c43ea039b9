#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "app/engine/service_event.h"

namespace quire {

/// Events on their way to the window's thread. What came for one answer is joined until it is
/// taken, so that a window that is busy finds little to do, however long it was away.
///
/// Thread: any.
/// Invariants: events of one request keep their order; `wake` is called once for each take().
class Outbox {
 public:
  /// `wake` is called on the pushing thread when there is something to take again.
  explicit Outbox(std::function<void()> wake) : m_wake(std::move(wake)) {}

  void push(ServiceEvent event);
  std::vector<ServiceEvent> take();

 private:
  bool joinedWithLast(ServiceEvent& event);
  bool replaceMap(BlocksMapped& mapped);

  const std::function<void()> m_wake;
  std::mutex m_mutex;
  std::vector<ServiceEvent> m_events;
  bool m_awake = false;
};

}  // namespace quire
