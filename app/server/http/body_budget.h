#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace quire {

/// Limits the bytes of all bodies together. Thread: any.
class BodyBudget {
 public:
  explicit BodyBudget(size_t max_bytes) : m_max_bytes(max_bytes) {}

  /// Whether a body of that length could be read now.
  bool fits(size_t bytes) const { return bytes <= m_max_bytes && m_bytes <= m_max_bytes - bytes; }
  bool try_add(size_t bytes) {
    if (m_bytes.fetch_add(bytes) + bytes <= m_max_bytes) return true;
    m_bytes -= bytes;
    return false;
  }
  void remove(size_t bytes) { m_bytes -= bytes; }

 private:
  const size_t m_max_bytes;
  std::atomic<size_t> m_bytes{0};
};

/// The bytes of one body, counted until the end of this object. Thread: one.
class BodyShare {
 public:
  BodyShare() = default;
  explicit BodyShare(std::shared_ptr<BodyBudget> budget) : m_budget(std::move(budget)) {}
  ~BodyShare() {
    if (m_budget) m_budget->remove(m_bytes);
  }
  BodyShare(BodyShare&& other) noexcept { swap(other); }
  BodyShare& operator=(BodyShare&& other) noexcept {
    BodyShare(std::move(other)).swap(*this);
    return *this;
  }

  /// Counts a body that has grown to `bytes`; false: there is no room for it.
  bool grow_to(size_t bytes) {
    if (bytes <= m_bytes) return true;
    if (!m_budget->try_add(bytes - m_bytes)) return false;
    m_bytes = bytes;
    return true;
  }

 private:
  void swap(BodyShare& other) noexcept {
    std::swap(m_budget, other.m_budget);
    std::swap(m_bytes, other.m_bytes);
  }

  std::shared_ptr<BodyBudget> m_budget;
  size_t m_bytes = 0;
};

}  // namespace quire
