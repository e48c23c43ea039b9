#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "app/engine/reply.h"
#include "app/server/http/http_message.h"

namespace quire {

/// Keeps a question to a backend until it is answered, and withdraws it if the client goes.
/// Thread: any.
class TextQuestion {
 public:
  /// `ask` puts the question; `answer` gets its reply.
  template <typename T>
  static void ask(const std::shared_ptr<HttpExchange>& exchange,
                  const std::function<PendingReply(Reply<T>)>& ask,
                  std::function<void(const T&)> answer) {
    const auto question = std::make_shared<TextQuestion>();
    exchange->on_closed([question] { question->withdraw(); });
    question->keep(
        ask(Reply<T>([question, answer = std::move(answer)](const T& value) { answer(value); })));
  }

 private:
  void keep(PendingReply pending) {
    const std::lock_guard lock(m_mutex);
    if (m_isWithdrawn) pending.reset();
    m_pending = std::move(pending);
  }
  void withdraw() {
    const std::lock_guard lock(m_mutex);
    m_isWithdrawn = true;
    m_pending.reset();
  }

  std::mutex m_mutex;
  PendingReply m_pending;
  bool m_isWithdrawn = false;
};

}  // namespace quire
