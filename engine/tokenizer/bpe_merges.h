#pragma once

#include <cstdint>
#include <vector>

#include "engine/tokenizer/tokenizer.h"

namespace quire {

/// What two neighbouring symbols become.
struct Merge {
  static constexpr uint32_t kNever = UINT32_MAX;
  uint32_t rank = kNever;  ///< Lower is earlier.
  TokenId id = -1;
};

/// The merges of a byte pair encoding in one open hash table, and their application (Sennrich et
/// al., arXiv:1508.07909): the pair of lowest rank first, of equal ones the leftmost.
/// Thread: any thread once filled. Invariants: at most half of the places are taken.
class BpeMerges {
 public:
  /// Memory of a call, reused for each word.
  struct Scratch {
    std::vector<Merge> pairs;
    std::vector<int32_t> next;
    std::vector<int32_t> previous;
    std::vector<uint64_t> heap;
  };

  void reserve(size_t count);
  /// If a pair is added twice, the last merge counts.
  void add(TokenId left, TokenId right, Merge merge);
  Merge find(TokenId left, TokenId right) const;
  /// Begins to load what add() will look at, if there is room for it.
  void prefetch(TokenId left, TokenId right) const;
  /// Calls `visit(merge)` for all, in any order.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const Place& place : m_places) {
      if (place.merge.rank != Merge::kNever) visit(place.merge);
    }
  }
  size_t size() const { return m_size; }

  /// Merges the symbols of one word in place: O(n log n), and quick for the usual short ones.
  void apply(std::vector<TokenId>& symbols, Scratch& scratch) const;

 private:
  struct Place {
    uint64_t key = UINT64_MAX;
    Merge merge;
  };
  size_t first_place(uint64_t key) const;
  size_t place_of(uint64_t key) const;
  void resize(size_t count);
  void apply_short(std::vector<TokenId>& symbols) const;
  void apply_long(std::vector<TokenId>& symbols, Scratch& scratch) const;
  void push_pair(std::vector<TokenId>& symbols, Scratch& scratch, int32_t left) const;

  std::vector<Place> m_places;
  int m_shift = 64;
  size_t m_size = 0;
};

}  // namespace quire
