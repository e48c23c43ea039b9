#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "app/engine/service_event.h"

namespace quire {

/// Events on their way to the window's thread.
///
/// Thread: any.
/// Invariants: events keep their order; `wake` is called once for each take().
class Outbox {
 public:
  /// `wake` is called on the pushing thread when there is something to take again.
  explicit Outbox(std::function<void()> wake) : m_wake(std::move(wake)) {}

  void push(ServiceEvent event);
  std::vector<ServiceEvent> take();

 private:
  bool replaced(ServiceEvent& event);

  const std::function<void()> m_wake;
  std::mutex m_mutex;
  std::vector<ServiceEvent> m_events;
  bool m_awake = false;
};

}  // namespace quire
