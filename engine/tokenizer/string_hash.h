#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace quire {

/// A quick hash of a few bytes, eight at a time; not for adversaries, whose gain would be a slow
/// encoding of their own text.
inline uint64_t hash_bytes(std::string_view bytes) {
  constexpr uint64_t kMix = 0x9E3779B97F4A7C15;
  uint64_t hash = bytes.size() * kMix;
  const char* data = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; left -= 8, data += 8) {
    uint64_t word = 0;
    std::memcpy(&word, data, 8);
    hash = (hash ^ word) * kMix;
    hash ^= hash >> 32;
  }
  uint64_t tail = 0;
  for (size_t i = 0; i < left; ++i) tail |= uint64_t{static_cast<uint8_t>(data[i])} << (8 * i);
  hash = (hash ^ tail) * kMix;
  return hash ^ (hash >> 29);
}

}  // namespace quire
