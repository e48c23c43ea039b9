#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "engine/request.h"
#include "kernels/base/result.h"

namespace quire {

/// Where a caller finds the events of its requests. The events of one request that wait are joined
/// into one, so that a slow caller needs no more memory than the answers themselves.
/// Thread: any.
/// Invariants: at most one event of each request waits; the descriptor, if there is one, is
/// readable exactly while events wait.
class Inbox {
 public:
  Inbox() = default;
  ~Inbox();
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  /// Adds an event, after those of the same request.
  void put(RequestEvent event);

  /// All events that wait, in the order in which their requests had the first of them.
  std::vector<RequestEvent> take();

  /// The same once there are any, or, with `until_ended`, once one of them ends its request; at the
  /// latest after `most`, when there may be none.
  std::vector<RequestEvent> wait(std::chrono::milliseconds most, bool until_ended);

  /// For the event loop of the caller (poll, epoll). Owned by the inbox. Errors: kIo.
  Result<int> descriptor();

 private:
  std::vector<RequestEvent> take_locked();
  void signal_locked();

  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::vector<RequestEvent> m_events;
  std::unordered_map<RequestId, size_t> m_index_of;  ///< In m_events.
  bool m_has_ended = false;                          ///< One of them ends its request.
  int m_descriptor = -1;
};

}  // namespace quire
