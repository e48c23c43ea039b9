#pragma once

#include <cstdint>
#include <optional>
#include <span>
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
  /// Makes room for so many entries.
  void reserve(size_t count);
  /// Errors: false if the bytes are there already, whose id then stays.
  bool insert(std::string_view bytes, TokenId id);
  std::optional<TokenId> find(std::string_view bytes) const;
  /// The ids of `texts`, of which there are as many; -1 for a text that is not there. A table of a
  /// vocabulary is larger than the processor's caches: this waits for memory for many texts at
  /// once.
  void find_all(std::span<const std::string_view> texts, std::span<TokenId> ids) const;
  /// Begins to load what insert() will look at.
  void prefetch(std::string_view bytes) const {
    if (m_size > 0) __builtin_prefetch(&m_places[hash_of(bytes) & (m_places.size() - 1)], 1);
  }
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
  void resize(size_t num_places);

  std::vector<Place> m_places;
  std::string m_text;
  size_t m_size = 0;
  size_t m_max_bytes = 0;
};

}  // namespace quire
