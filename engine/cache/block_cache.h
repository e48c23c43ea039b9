#pragma once

#include "engine/cache/block_pool.h"
#include "engine/cache/block_table.h"
#include "engine/cache/prefix_index.h"

namespace quire {

/// Gives blocks to sequences, and lets sequences that begin alike share them: the pool and the
/// prefix index as one. Host data only; it never touches keys and values.
/// Thread: the engine's.
/// Invariants: a block's references equal the tables that list it; a block with more than one
/// reference, or with a name, is full and never written.
class BlockCache {
 public:
  /// `share_prefixes` off keeps every sequence to itself, for comparisons.
  explicit BlockCache(int num_blocks, bool share_prefixes = true);

  /// Gives an empty table all leading blocks of its tokens that the pool still holds, and counts
  /// them as computed. At least one token is left to compute, so that there are logits.
  void match_prefix(BlockTable& table);

  /// What match_prefix would give now, and how many of these blocks nobody references at present.
  struct Match {
    int blocks = 0;
    int free_blocks = 0;
  };
  Match count_matching(const BlockTable& table) const;

  /// Takes blocks until the table covers `num_tokens`; takes nothing and returns false if there are
  /// not enough free ones.
  bool reserve(BlockTable& table, int num_tokens);

  /// The first `num_computed` tokens have keys and values now: names the blocks that became full.
  /// Where another sequence computed the same block first, the table shares that one and gives its
  /// own back (their contents are equal bit for bit).
  void mark_computed(BlockTable& table, int num_computed);

  /// Gives all blocks back, tails first; named ones keep their contents until they are taken.
  void release(BlockTable& table);

  bool shares_prefixes() const { return m_share_prefixes; }
  const BlockPool& pool() const { return m_pool; }
  const PrefixIndex& index() const { return m_index; }

 private:
  std::optional<BlockId> find(const BlockTable& table, int index) const;
  void name_block(BlockTable& table, int index);
  void release_block(BlockId block);

  BlockPool m_pool;
  PrefixIndex m_index;
  bool m_share_prefixes;
};

}  // namespace quire
