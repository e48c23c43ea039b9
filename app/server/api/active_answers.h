#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace quire {

/// Ends what is being answered when the server ends, so that each client is told.
/// Thread: any. Tickets keep it alive.
class ActiveAnswers : public std::enable_shared_from_this<ActiveAnswers> {
 public:
  /// Counts one as active for as long as it lives.
  class Ticket {
   public:
    Ticket() = default;
    Ticket(std::shared_ptr<ActiveAnswers> owner, uint64_t id)
        : m_owner(std::move(owner)), m_id(id) {}
    Ticket(Ticket&& other) noexcept = default;
    Ticket& operator=(Ticket&& other) noexcept {
      std::swap(m_owner, other.m_owner);
      std::swap(m_id, other.m_id);
      return *this;
    }
    ~Ticket() {
      if (m_owner) m_owner->remove(m_id);
    }
    explicit operator bool() const { return m_owner != nullptr; }

   private:
    std::shared_ptr<ActiveAnswers> m_owner;
    uint64_t m_id = 0;
  };

  /// `end` may be called once, by endAll() on its thread. Nothing after endAll().
  Ticket add(std::function<void()> end) {
    const std::lock_guard lock(m_mutex);
    if (m_isOver) return {};
    m_ends.emplace(++m_last, std::move(end));
    return {shared_from_this(), m_last};
  }
  void endAll() {
    std::map<uint64_t, std::function<void()>> ends;
    {
      const std::lock_guard lock(m_mutex);
      m_isOver = true;
      ends.swap(m_ends);
    }
    for (const auto& [id, end] : ends) end();
  }

 private:
  void remove(uint64_t id) {
    const std::lock_guard lock(m_mutex);
    m_ends.erase(id);
  }

  std::mutex m_mutex;
  std::map<uint64_t, std::function<void()>> m_ends;
  uint64_t m_last = 0;
  bool m_isOver = false;
};

}  // namespace quire
