#pragma once

#include <optional>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/cache/block_pool.h"
#include "engine/cache/block_table.h"
#include "engine/cache/host_block_store.h"
#include "engine/cache/prefix_index.h"
#include "engine/cache/prefix_store.h"

namespace quire {

/// Keys and values to be copied before anything else is computed: from one block to another, or
/// between a block and a place of the HostBlockStore.
struct BlockCopy {
  enum class Kind { kInPool, kToHost, kFromHost };
  int32_t from = -1;
  int32_t to = -1;
  Kind kind = Kind::kInPool;
};

/// Gives blocks to sequences, and lets sequences that begin alike share them: the pool and the
/// prefix index as one. Host data only; it never touches keys and values.
///
/// A prefix is shared block by block. Where it ends inside a block, the sequence gets a copy of
/// that block (copy on write: it is about to write the next token there), or the block itself if
/// nobody references it and all of its tokens are wanted. So a sequence computes no token that the
/// pool holds, save the last of its prompt, whose logits are needed.
///
/// With a HostBlockStore a full block that is taken for something else moves there with its name,
/// and comes back when a sequence wants it.
///
/// Thread: the engine's.
/// Invariants: a block's references equal the tables that list it; one with more than one reference
/// is full; a full block with a name is never written.
class BlockCache {
 public:
  /// `share_prefixes` off keeps every sequence to itself, for comparisons. `host`, which may be
  /// null, must outlive the cache.
  explicit BlockCache(int num_blocks, bool share_prefixes = true, HostBlockStore* host = nullptr);

  /// Gives an empty table the leading blocks of its tokens that the pool holds, and counts them as
  /// computed. The copy that is returned must be made before the step is computed, in the order of
  /// these calls, and after those that take_copies() gives now.
  std::optional<BlockCopy> match_prefix(BlockTable& table);

  /// Brings the leading blocks of the table's tokens that the pool lacks back from host memory, no
  /// more than `max_blocks` and than are free, and frees them again as adopt() does.
  struct Restored {
    int blocks = 0;
    bool is_whole = true;  ///< Nothing is left that another call could bring.
  };
  Restored restore(const BlockTable& table, int max_blocks);
  /// The leading full blocks that the pool or host memory has.
  int count_held(const BlockTable& table) const;
  /// The copies to and from host memory since the last call: to be made in this order, before
  /// anything is computed or written to a block. None may be left out, or host memory and blocks
  /// do not hold what their names say.
  std::vector<BlockCopy> take_copies() { return std::exchange(m_copies, {}); }

  /// The full blocks that match_prefix would give now, and how many of them nobody references.
  struct Match {
    int blocks = 0;
    int free_blocks = 0;
  };
  Match count_matching(const BlockTable& table) const;

  /// Takes blocks until the table covers `num_tokens`; takes nothing and returns false if there are
  /// not enough free ones.
  bool reserve(BlockTable& table, int num_tokens);

  /// The first `num_computed` tokens have keys and values now: others may share them. Where another
  /// sequence computed the same block first, the table shares that one and gives its own back
  /// (their contents are equal bit for bit).
  void mark_computed(BlockTable& table, int num_computed);

  /// Gives all blocks back, tails first; their contents stay until they are taken.
  void release(BlockTable& table);

  /// What a chat's blocks are worth from now on, those that are free included. 0, no chat, never is
  /// open.
  void set_chat_open(int64_t chat, bool open);

  /// Keeps the leading blocks of these tokens that the pool holds until nothing else is left to
  /// take, or no longer. Returns how many tokens these are.
  int set_pinned(const BlockTable& table, bool pinned);

  /// Takes blocks for contents that come from elsewhere and belong to `table`, from its block
  /// `first_index` on: names them and frees them again, after the table's blocks before them, which
  /// count as used now. For each of `blocks` the one to write to, or nothing where the pool has it
  /// already; no more than are free, and none after a gap.
  std::vector<std::optional<BlockId>> adopt(std::span<const StoredBlock> blocks,
                                            const BlockTable& table, int first_index);
  /// An adopted block could not be written: it holds nothing.
  void disown(BlockId block);

  /// A device failed: what blocks hold, here and in host memory, may be wrong. No table has any.
  void forget_all();

  /// Who gave a block back last.
  struct LastUse {
    int64_t chat = 0;  ///< 0: no chat, or nobody yet.
    int index = -1;    ///< The block's place among that chat's; -1: unknown.
  };
  LastUse last_use(BlockId block) const { return m_notes[block].last_use; }

  HostBlockStore* host() const { return m_host; }
  uint64_t num_restored() const { return m_num_restored; }  ///< Blocks, since the start.
  bool shares_prefixes() const { return m_share_prefixes; }
  const BlockPool& pool() const { return m_pool; }
  const PrefixIndex& index() const { return m_index; }

 private:
  /// What is remembered of a block beside its name.
  struct Note {
    LastUse last_use;
    bool shared = false;
    bool pinned = false;
  };
  std::optional<BlockId> find(const BlockTable& table, int index) const;
  std::optional<int> find_in_host(const BlockTable& table, int index) const;
  std::optional<BlockId> restore_block(const BlockTable& table, int index);
  void touch_in_host(const BlockTable& table, int first_index);
  void demote_in_host(const BlockTable& table, int num_blocks);
  void release_all(std::span<const BlockId> blocks, const BlockOwner& owner);
  void save(BlockId block);
  std::optional<BlockCopy> match_tail(BlockTable& table);
  void name_block(BlockTable& table, int index);
  void name_tail(BlockTable& table);
  BlockId take();
  BlockWorth worth_of(BlockId block) const;
  void release_block(BlockId block, int index, const BlockOwner& owner);

  BlockPool m_pool;
  PrefixIndex m_index;
  std::vector<Note> m_notes;  ///< By block.
  std::unordered_set<int64_t> m_open_chats;
  bool m_share_prefixes;
  HostBlockStore* m_host;
  std::vector<BlockCopy> m_copies;  ///< To and from host memory, not taken yet.
  uint64_t m_num_restored = 0;
};

}  // namespace quire
