#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace quire {

/// Limits how many bytes several owners hold together, such as the bodies of all requests. Each
/// owner counts its bytes with a ByteShare. Thread: any.
class ByteBudget {
 public:
  explicit ByteBudget(size_t max_bytes) : m_max_bytes(max_bytes) {}

  /// Whether that many more could be counted now.
  bool fits(size_t bytes) const { return bytes <= m_max_bytes && m_bytes <= m_max_bytes - bytes; }
  /// Counts `bytes` more, or returns false. `may_be_alone`: while none are counted, any number
  /// fits.
  bool try_add(size_t bytes, bool may_be_alone = false) {
    const size_t others = m_bytes.fetch_add(bytes);
    if (others + bytes <= m_max_bytes || (may_be_alone && others == 0)) return true;
    m_bytes -= bytes;
    return false;
  }
  void remove(size_t bytes) { m_bytes -= bytes; }

 private:
  const size_t m_max_bytes;
  std::atomic<size_t> m_bytes{0};
};

/// The bytes of one owner, counted until the end of this object. Thread: one.
class ByteShare {
 public:
  ByteShare() = default;
  explicit ByteShare(std::shared_ptr<ByteBudget> budget) : m_budget(std::move(budget)) {}
  ~ByteShare() {
    if (m_budget) m_budget->remove(m_bytes);
  }
  ByteShare(ByteShare&& other) noexcept { swap(other); }
  ByteShare& operator=(ByteShare&& other) noexcept {
    ByteShare(std::move(other)).swap(*this);
    return *this;
  }

  /// Counts `bytes` in place of fewer; false: they do not fit. `may_be_alone` as in try_add().
  bool grow_to(size_t bytes, bool may_be_alone = false) {
    if (bytes <= m_bytes) return true;
    if (!m_budget->try_add(bytes - m_bytes, may_be_alone)) return false;
    m_bytes = bytes;
    return true;
  }

 private:
  void swap(ByteShare& other) noexcept {
    std::swap(m_budget, other.m_budget);
    std::swap(m_bytes, other.m_bytes);
  }

  std::shared_ptr<ByteBudget> m_budget;
  size_t m_bytes = 0;
};

}  // namespace quire
