#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/server/http/http_message.h"
#include "app/server/http/server_mailbox.h"

namespace quire {

/// Hands a response from any thread to the connection that sends it.
/// Thread: any, unless told. No function is called while the queue is locked.
/// Invariants: after close(), or after the response's end, what is added is dropped.
class ResponseQueue {
 public:
  /// `wake` is posted to the mailbox when there is something to take; once until take().
  ResponseQueue(std::shared_ptr<ServerMailbox> mailbox, std::function<void()> wake,
                size_t max_queued_bytes);

  void respond(HttpResponse response);
  void begin(HttpResponse response);
  void write(std::string part);
  void end();
  /// Nobody can continue the response: it becomes this error if it has not begun, else it is cut.
  void abandon(int status, const char* message, std::string_view path);
  void on_closed(std::function<void()> closed);
  bool is_closed() const;

  /// What has been added since the last call.
  struct Taken {
    std::optional<HttpResponse> head = {};  ///< With the whole body, unless it is streamed.
    bool is_streamed = false;
    std::vector<std::string> parts = {};
    bool has_ended = false;
    bool is_cut = false;  ///< The rest is missing: the client reads too slowly, or abandon().
    std::string why_cut = {};
  };
  /// Thread: the server's, like that of the following functions.
  Taken take();
  /// Parts of this cost (OutputBuffer) have been sent.
  void release(size_t cost);
  /// The client has gone: what on_closed() set is returned for the caller to call, unless the
  /// response has ended.
  std::function<void()> close();

 private:
  void wake_if_needed();
  bool accepts() const { return !m_has_ended && !m_is_closed && !m_taken.is_cut; }

  const std::shared_ptr<ServerMailbox> m_mailbox;
  const std::function<void()> m_wake;
  const size_t m_max_queued_bytes;

  mutable std::mutex m_mutex;
  Taken m_taken;
  bool m_has_begun = false;
  bool m_has_ended = false;
  bool m_is_closed = false;
  bool m_is_woken = false;
  size_t m_queued_bytes = 0;  ///< The cost of the parts that have not been sent.
  std::function<void()> m_closed;
};

}  // namespace quire
