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

/// Finds the block that holds the keys and values of given tokens after a given prefix: a tree of
/// blocks, each under the key of the full block before it.
///
/// A full block is found by its own key, in one step. A block that is not full yet, or of which
/// only the first tokens are wanted, is found among its parent's children.
///
/// Thread: the engine's.
/// Invariants: one full block for a key; a hit is verified against the block's own tokens and
/// parent, so that no collision of hashes can serve wrong content.
class PrefixIndex {
 public:
  explicit PrefixIndex(int num_blocks);

  /// The full block of these kBlockSize tokens after `parent`.
  std::optional<BlockId> find(const BlockKey& key, const BlockKey& parent,
                              std::span<const int32_t> tokens) const;

  /// The block after `parent` that begins with the most of these tokens.
  struct Tail {
    BlockId block = -1;
    int num_tokens = 0;  ///< That it shares with `tokens`; 0: there is none.
  };
  Tail find_tail(const BlockKey& parent, std::span<const int32_t> tokens) const;

  /// Names the block, which holds these 1 to kBlockSize tokens after `parent`. It must have no
  /// name, or one for a prefix of `tokens`. A full block needs its `key`, which must be unused.
  void name(BlockId block, const BlockKey& parent, std::span<const int32_t> tokens,
            const BlockKey* key = nullptr);

  /// Forgets the block's name, if it has one.
  void erase(BlockId block);

  /// The name of a full block.
  struct Name {
    const BlockKey& key;
    const BlockKey& parent;
    std::span<const int32_t> tokens;
  };
  Name name_of(BlockId block) const {
    const Entry& entry = m_entries[block];
    CHECK(entry.num_tokens == kBlockSize);
    return {entry.key, entry.parent, entry.tokens};
  }

  /// The block's tokens; none if it has no name.
  std::span<const int32_t> tokens_of(BlockId block) const {
    const Entry& entry = m_entries[block];
    return std::span(entry.tokens).first(static_cast<size_t>(entry.num_tokens));
  }

  bool contains(BlockId block) const { return m_entries[block].num_tokens > 0; }
  int num_tokens(BlockId block) const { return m_entries[block].num_tokens; }
  size_t num_full() const { return m_full.size(); }

 private:
  static constexpr BlockId kNoBlock = -1;
  struct Entry {
    BlockKey key;  ///< Of a full block.
    BlockKey parent;
    std::array<int32_t, kBlockSize> tokens{};
    int num_tokens = 0;  ///< 0: it has no name.
    BlockId previous = kNoBlock;
    BlockId next = kNoBlock;  ///< Among its parent's children.
  };
  void add_child(BlockId block);
  void remove_child(BlockId block);

  std::vector<Entry> m_entries;  ///< By block.
  std::unordered_map<BlockKey, BlockId, BlockKeyHash> m_full;
  std::unordered_map<BlockKey, BlockId, BlockKeyHash> m_first_child;  ///< By the parent's key.
};

}  // namespace quire
