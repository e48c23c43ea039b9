#pragma once

#include <atomic>
#include <memory>
#include <utility>

namespace quire {

/// Counts the answers that are queued or computed, and refuses more than the limit.
/// Thread: any. Its slots keep it alive.
class RequestLimiter {
 public:
  explicit RequestLimiter(int most) : m_count(std::make_shared<Count>()), m_most(most) {}

  /// Frees its answers with its end.
  class Slots {
   public:
    Slots() = default;
    Slots(std::shared_ptr<std::atomic<int>> count, int taken)
        : m_count(std::move(count)), m_taken(taken) {}
    ~Slots() { release(); }
    Slots(Slots&& other) noexcept { *this = std::move(other); }
    Slots& operator=(Slots&& other) noexcept {
      release();
      m_count = std::move(other.m_count);
      m_taken = std::exchange(other.m_taken, 0);
      return *this;
    }
    explicit operator bool() const { return m_count != nullptr; }
    void release() {
      if (const auto count = std::exchange(m_count, nullptr)) *count -= m_taken;
    }

   private:
    std::shared_ptr<std::atomic<int>> m_count;
    int m_taken = 0;
  };

  /// All of these answers, or none of them.
  Slots tryTake(int answers);
  int taken() const { return *m_count; }
  int most() const { return m_most; }

 private:
  using Count = std::atomic<int>;
  const std::shared_ptr<Count> m_count;
  const int m_most;
};

}  // namespace quire
