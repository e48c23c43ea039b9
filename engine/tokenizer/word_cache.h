#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tokenizer/tokenizer.h"

namespace quire {

/// The ids of words that one call has met already; texts repeat their words.
/// Thread: one at a time. Invariants: at most kMaxWords words of at most kMaxWordBytes each.
class WordCache {
 public:
  static constexpr size_t kMaxWordBytes = 96;
  static constexpr size_t kMaxWords = 1 << 16;

  WordCache() : m_places(256) {}

  /// Nothing if the word is not known. Valid until the next insert.
  std::optional<std::span<const TokenId>> find(std::string_view word, uint64_t hash) const;
  /// Keeps a word that find() did not know, if there is room.
  void insert(std::string_view word, uint64_t hash, std::span<const TokenId> ids);

 private:
  struct Place {
    uint64_t hash = 0;
    uint32_t text = 0;
    uint32_t ids = 0;
    uint16_t num_bytes = 0;  ///< 0: free.
    uint16_t num_ids = 0;
  };
  void grow();

  std::vector<Place> m_places;
  size_t m_size = 0;
  std::string m_text;
  std::vector<TokenId> m_ids;
};

}  // namespace quire
