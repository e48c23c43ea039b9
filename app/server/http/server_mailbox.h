#pragma once

#include <functional>
#include <mutex>
#include <utility>

namespace quire {

/// Runs functions on the server's thread, until the server ends. Exchanges may outlive it.
/// Thread: any.
class ServerMailbox {
 public:
  using Post = std::function<void(std::function<void()>)>;
  explicit ServerMailbox(Post post) : m_post(std::move(post)) {}

  /// After close(), the function is dropped.
  void post(std::function<void()> function) {
    const std::lock_guard lock(m_mutex);
    if (m_post) m_post(std::move(function));
  }
  /// What was posted before still runs.
  void close() {
    const std::lock_guard lock(m_mutex);
    m_post = nullptr;
  }

 private:
  std::mutex m_mutex;
  Post m_post;  ///< Never runs the function itself.
};

}  // namespace quire
