#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tokenizer/tokenizer.h"

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

/// Token ids by their bytes: an open hash table over one block of text.
/// Thread: any thread once filled. Invariants: at most half of the places are taken.
class StringIndex {
 public:
  /// Errors: false if the bytes are there already, whose id then stays.
  bool insert(std::string_view bytes, TokenId id);
  std::optional<TokenId> find(std::string_view bytes) const;
  size_t size() const { return m_size; }
  size_t max_bytes() const { return m_max_bytes; }  ///< Of the longest entry.

 private:
  struct Place {
    uint64_t hash = 0;
    uint32_t offset = 0;
    uint32_t length = 0;
    TokenId id = -1;  ///< Negative: free.
  };
  size_t place_of(std::string_view bytes, uint64_t hash) const;
  void grow();

  std::vector<Place> m_places;
  std::string m_text;
  size_t m_size = 0;
  size_t m_max_bytes = 0;
};

}  // namespace quire
