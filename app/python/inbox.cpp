#include "app/python/inbox.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace quire {
namespace {

/// Appends a later event of the same request.
void join(RequestEvent& event, RequestEvent later) {
  event.text += later.text;
  event.tokens.insert(event.tokens.end(), later.tokens.begin(), later.tokens.end());
  for (auto& logprobs : later.logprobs) event.logprobs.push_back(std::move(logprobs));
  event.finish = later.finish;
  event.stop = std::move(later.stop);
  event.error = std::move(later.error);
  event.usage = later.usage;
}

}  // namespace

Inbox::~Inbox() {
  if (m_descriptor >= 0) close(m_descriptor);
}

void Inbox::put(RequestEvent event) {
  {
    const std::lock_guard lock(m_mutex);
    m_has_ended = m_has_ended || event.finish;
    const auto [at, is_new] = m_index_of.try_emplace(event.id, m_events.size());
    if (is_new) {
      m_events.push_back(std::move(event));
    } else {
      join(m_events[at->second], std::move(event));
    }
    signal_locked();
  }
  m_changed.notify_all();
}

std::vector<RequestEvent> Inbox::take() {
  const std::lock_guard lock(m_mutex);
  return take_locked();
}

std::vector<RequestEvent> Inbox::wait(std::chrono::milliseconds most, bool until_ended) {
  std::unique_lock lock(m_mutex);
  m_changed.wait_for(lock, most,
                     [&] { return m_has_ended || (!until_ended && !m_events.empty()); });
  return take_locked();
}

Result<int> Inbox::descriptor() {
  const std::lock_guard lock(m_mutex);
  if (m_descriptor >= 0) return m_descriptor;
  m_descriptor = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (m_descriptor < 0) {
    return Error{ErrorCode::kIo, std::string("No descriptor can be opened for answers: ") +
                                     std::strerror(errno) + ". Close files or answers first."};
  }
  if (!m_events.empty()) signal_locked();
  return m_descriptor;
}

std::vector<RequestEvent> Inbox::take_locked() {
  m_index_of.clear();
  m_has_ended = false;
  if (m_descriptor >= 0) {
    eventfd_t ignored = 0;
    eventfd_read(m_descriptor, &ignored);
  }
  return std::exchange(m_events, {});
}

void Inbox::signal_locked() {
  if (m_descriptor >= 0) eventfd_write(m_descriptor, 1);
}

}  // namespace quire
