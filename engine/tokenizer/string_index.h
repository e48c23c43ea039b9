#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tokenizer/tokenizer.h"
#include "kernels/base/hash_bytes.h"

namespace quire {

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
    uint32_t hash = 0;  ///< Half of it, which says the place in up to 2^32.
    uint32_t offset = 0;
    uint32_t length = 0;
    TokenId id = -1;  ///< Negative: free.
  };
  size_t place_of(std::string_view bytes, uint32_t hash) const;
  static uint32_t hash_of(std::string_view bytes) {
    return static_cast<uint32_t>(hash_bytes(bytes));
  }
  void grow();

  std::vector<Place> m_places;
  std::string m_text;
  size_t m_size = 0;
  size_t m_max_bytes = 0;
};

}  // namespace quire
