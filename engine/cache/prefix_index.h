#pragma once

#include <array>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/cache/block_key.h"
#include "engine/cache/block_pool.h"
#include "kernels/backend.h"

namespace quire {

/// Finds the block that holds the keys and values of given tokens after a given prefix.
/// Thread: the engine's.
/// Invariants: holds only full blocks; one block for a key and one key for a block; a hit is
/// verified against the block's own tokens and parent, so that no collision of hashes can serve
/// wrong content.
class PrefixIndex {
 public:
  explicit PrefixIndex(int num_blocks) : m_entries(num_blocks) {}

  std::optional<BlockId> find(const BlockKey& key, const BlockKey& parent,
                              std::span<const int32_t> tokens) const;

  /// Names `block`, which must not be named yet; the key must be free.
  void insert(BlockId block, const BlockKey& key, const BlockKey& parent,
              std::span<const int32_t> tokens);

  /// Forgets the block's name, if it has one.
  void erase(BlockId block);

  bool contains(BlockId block) const { return m_entries[block].named; }
  size_t size() const { return m_blocks.size(); }

 private:
  struct Entry {
    BlockKey key;
    BlockKey parent;
    std::array<int32_t, kBlockSize> tokens{};
    bool named = false;
  };
  std::vector<Entry> m_entries;  ///< By block.
  std::unordered_map<BlockKey, BlockId, BlockKeyHash> m_blocks;
};

}  // namespace quire
