#include "app/server/http/response_queue.h"

#include <utility>

#include "app/server/http/output_buffer.h"
#include "kernels/base/check.h"

namespace quire {

ResponseQueue::ResponseQueue(std::shared_ptr<ServerMailbox> mailbox, std::function<void()> wake,
                             size_t max_queued_bytes)
    : m_mailbox(std::move(mailbox)),
      m_wake(std::move(wake)),
      m_max_queued_bytes(max_queued_bytes) {}

void ResponseQueue::wake_if_needed() {
  if (!std::exchange(m_is_woken, true)) m_mailbox->post(m_wake);
}

void ResponseQueue::respond(HttpResponse response) {
  std::function<void()> dropped;  // What it refers to ends after the lock.
  const std::lock_guard lock(m_mutex);
  if (!accepts()) return;
  CHECK(!m_has_begun);
  m_has_begun = m_has_ended = m_taken.has_ended = true;
  m_taken.head = std::move(response);
  dropped.swap(m_closed);
  wake_if_needed();
}

void ResponseQueue::begin(HttpResponse response) {
  const std::lock_guard lock(m_mutex);
  if (!accepts()) return;
  CHECK(!m_has_begun);
  m_has_begun = m_taken.is_streamed = true;
  m_taken.head = std::move(response);
  wake_if_needed();
}

void ResponseQueue::write(std::string part) {
  const std::lock_guard lock(m_mutex);
  if (!accepts() || part.empty()) return;  // An empty chunk would end the response.
  CHECK(m_has_begun);
  m_queued_bytes += OutputBuffer::cost_of(part.size());
  if (m_queued_bytes > m_max_queued_bytes) {
    m_taken.is_cut = true;
    m_taken.why_cut = "more than " + std::to_string(m_max_queued_bytes) + " bytes unread";
  } else {
    m_taken.parts.push_back(std::move(part));
  }
  wake_if_needed();
}

void ResponseQueue::end() {
  std::function<void()> dropped;
  const std::lock_guard lock(m_mutex);
  if (!accepts()) return;
  CHECK(m_has_begun);
  m_has_ended = m_taken.has_ended = true;
  dropped.swap(m_closed);
  wake_if_needed();
}

void ResponseQueue::abandon(int status, const char* message, std::string_view path) {
  const std::lock_guard lock(m_mutex);
  if (!accepts()) return;
  if (m_has_begun) {
    m_taken.is_cut = true;
    m_taken.why_cut = "dropped by the server";
  } else {
    m_has_begun = m_has_ended = m_taken.has_ended = true;
    m_taken.head = error_response(status, message, path);
  }
  wake_if_needed();
}

void ResponseQueue::on_closed(std::function<void()> closed) {
  std::function<void()> dropped;
  const std::lock_guard lock(m_mutex);
  if (m_has_ended) return;
  if (m_is_closed) {
    m_mailbox->post(std::move(closed));
  } else {
    dropped = std::exchange(m_closed, std::move(closed));
  }
}

bool ResponseQueue::is_closed() const {
  const std::lock_guard lock(m_mutex);
  return m_is_closed || m_taken.is_cut;
}

ResponseQueue::Taken ResponseQueue::take() {
  const std::lock_guard lock(m_mutex);
  m_is_woken = false;
  Taken taken = std::move(m_taken);
  m_taken = {};
  m_taken.is_cut = taken.is_cut;  // It stays so.
  m_taken.why_cut = taken.why_cut;
  return taken;
}

void ResponseQueue::release(size_t cost) {
  const std::lock_guard lock(m_mutex);
  m_queued_bytes -= cost;
}

std::function<void()> ResponseQueue::close() {
  const std::lock_guard lock(m_mutex);
  m_is_closed = true;
  return std::exchange(m_closed, nullptr);
}

}  // namespace quire
