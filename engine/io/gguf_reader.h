#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "kernels/base/checked.h"

namespace quire {

static_assert(std::endian::native == std::endian::little, "GGUF is read as it lies in memory");

/// Takes little-endian values from the front of untrusted bytes; nothing once they run out.
/// Thread: one at a time.
class GgufReader {
 public:
  explicit GgufReader(std::span<const std::byte> bytes) : m_bytes(bytes) {}

  uint64_t position() const { return m_position; }
  uint64_t left() const { return m_bytes.size() - m_position; }
  /// How many bytes from the start on the last take would have needed; 0 if they never ran out.
  uint64_t missed_end() const { return m_missed_end; }

  template <typename T>
  std::optional<T> take() {
    if (!has(sizeof(T))) return std::nullopt;
    T value;
    std::memcpy(&value, m_bytes.data() + m_position, sizeof(T));
    m_position += sizeof(T);
    return value;
  }

  std::optional<std::span<const std::byte>> take_bytes(uint64_t count) {
    if (!has(count)) return std::nullopt;
    const auto bytes = m_bytes.subspan(m_position, count);
    m_position += count;
    return bytes;
  }

  /// Eight bytes of length and as many bytes of text.
  std::optional<std::string_view> take_string() {
    const auto length = take<uint64_t>();
    if (!length) return std::nullopt;
    const auto bytes = take_bytes(*length);
    if (!bytes) return std::nullopt;
    return std::string_view(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  }

 private:
  bool has(uint64_t count) {
    if (count <= left()) return true;
    m_missed_end = checked_add(m_position, count).value_or(std::numeric_limits<uint64_t>::max());
    return false;
  }

  std::span<const std::byte> m_bytes;
  uint64_t m_position = 0;
  uint64_t m_missed_end = 0;
};

}  // namespace quire
