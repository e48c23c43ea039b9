#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/cache/block_table.h"
#include "engine/cache/host_block_store.h"
#include "engine/cache/named_pool.h"
#include "engine/cache/prefix_store.h"
#include "engine/cache/state_cache.h"
#include "engine/cache/window_cache.h"

namespace quire {

/// Keys and values to be copied before anything else is computed: from one block, or window part,
/// to another, or between one and a place of its HostBlockStore.
struct BlockCopy {
  enum class Kind { kInPool, kToHost, kFromHost };
  int32_t from = -1;
  int32_t to = -1;
  Kind kind = Kind::kInPool;
  bool is_window = false;  ///< Of window slots, instead of blocks.
};

/// Allocates blocks for sequences, and lets sequences with a common prefix share them. Host data
/// only; it never touches keys and values.
///
/// A prefix is shared block by block. Where it ends inside a block, the sequence gets a copy of
/// that block (copy on write: it is about to write the next token there), or the block itself if it
/// has no references and all of its tokens are wanted. So a sequence computes no token that the
/// pool holds, except the last of its prompt, whose logits are needed.
///
/// Of a model with recurrent layers a sequence can only go on where the StateCache holds a state:
/// what matches is cut to the last such place, by everything that counts or finds blocks. So it is
/// of a model with window layers, where the WindowCache holds what the next row sees.
///
/// With a HostBlockStore a full block that is evicted moves there with its name, and is restored
/// when a sequence needs it.
///
/// Thread: the engine's.
/// Invariants: a block's references equal the tables that list it; one with more than one reference
/// is full; a full block with a name is never written.
class BlockCache {
 public:
  /// `share_prefixes` off keeps every sequence to itself, for comparisons. `host`, which may be
  /// null, must outlive the cache.
  explicit BlockCache(int num_blocks, bool share_prefixes = true, HostBlockStore* host = nullptr,
                      const StateCacheSizes& states = {}, const WindowCacheSizes& windows = {});

  /// Adds to an empty table the leading blocks of its tokens that the pool holds, and counts them
  /// as computed. The returned copies must be made before the step is computed, in the order of
  /// these calls, and after the copies that take_copies() returns now.
  std::vector<BlockCopy> match_prefix(BlockTable& table);

  /// Restores from host memory the leading blocks of the table's tokens that are not in the pool:
  /// at most `max_blocks`, and no more than are free. Frees them again as adopt() does.
  struct Restored {
    int blocks = 0;
    bool is_whole = true;  ///< Another call would restore nothing more.
  };
  Restored restore(const BlockTable& table, int max_blocks);
  /// Restores all blocks that fit, wherever a sequence can go on.
  Restored restore_blocks(const BlockTable& table);
  /// The leading full blocks that the pool or host memory has, and after which a sequence can go
  /// on.
  int count_held(const BlockTable& table) const;
  /// The same of blocks alone.
  int count_held_blocks(const BlockTable& table) const;
  /// The copies to and from host memory since the last call: to be made in this order, before
  /// anything is computed or written to a block. None may be left out, or host memory and blocks
  /// do not hold what their names say.
  std::vector<BlockCopy> take_copies() { return std::exchange(m_copies, {}); }

  /// The full blocks that match_prefix would find now.
  struct Match {
    int blocks = 0;
    int free_blocks = 0;        ///< Of them: those without references.
    int cut_blocks = 0;         ///< That the pool holds beyond them, where no sequence can go on.
    int window_parts = 0;       ///< That the next row sees.
    int free_window_parts = 0;  ///< Of them: those without references.
  };
  Match count_matching(const BlockTable& table) const;

  /// Allocates blocks, and slots for their window parts, until the table covers `num_tokens`;
  /// allocates nothing and returns false if there are not enough free ones.
  bool reserve(BlockTable& table, int num_tokens);

  /// Plans the states of the table's next rows, for which there are blocks (StateCache::plan).
  StateRows plan_states(BlockTable& table, int begin, int count) {
    return m_states.plan(table, begin, count);
  }
  /// Plans the states after each of the next `count` rows, which are drafts, behind rows that were
  /// planned. Returns for how many there are slots.
  int plan_draft_states(BlockTable& table, int count, StateRows& rows) {
    return m_states.plan_drafts(table, count, rows);
  }
  /// Frees those that were not accepted by mark_computed(), and blocks behind the table's tokens.
  void drop_drafts(BlockTable& table);
  /// Wants a resume point to be kept at that position, a multiple of kBlockSize, where another
  /// sequence branches off.
  void want_resume_point(BlockTable& table, int position) {
    m_states.want_snapshot(table, position);
    m_windows.want(table, position);
  }

  /// The first `num_computed` tokens have keys and values now: others may share them. Where another
  /// sequence computed the same block first, the table shares that one and frees its own
  /// (their contents are equal bit for bit).
  void mark_computed(BlockTable& table, int num_computed);

  /// Frees all blocks, tails first; their contents stay until the blocks are allocated again.
  void release(BlockTable& table);

  /// Changes the worth of a chat's blocks, free ones included. Chat 0 stands for no chat and is
  /// never open.
  void set_chat_open(int64_t chat, bool open);

  /// Pins or unpins the leading blocks of these tokens that the pool holds: pinned ones are evicted
  /// last. Returns how many tokens these are.
  int set_pinned(const BlockTable& table, bool pinned);

  /// Allocates blocks for contents from a PrefixStore that belong to `table`, from its block
  /// `first_index` on: names them and frees them again, after the table's blocks before them, which
  /// count as used now. Returns for each of `blocks` the block to write to, or nothing where the
  /// pool has it already; allocates no more than are free, and none after a gap.
  std::vector<std::optional<BlockId>> adopt(std::span<const StoredBlock> blocks,
                                            const BlockTable& table, int first_index);
  /// An adopted block could not be written: it holds nothing.
  void disown(BlockId block);
  /// Allocates slots for the window parts of the table's blocks of these ascending indices, whose
  /// contents come from a PrefixStore, and frees them again. Returns for each the slot to write to,
  /// or nothing where there is a part already, no block, or no room.
  std::vector<std::optional<WindowSlot>> adopt_windows(const BlockTable& table,
                                                       std::span<const int> indices);
  /// An adopted part could not be written.
  void disown_window(const BlockTable& table, int index);
  /// Whether the pool, or with `or_host` host memory, has the window part of the table's block.
  bool has_window(const BlockTable& table, int index, bool or_host) const;

  /// Starts again with empty pools of that size; chats stay open. No table has blocks.
  void reset(int num_blocks, HostBlockStore* host, const StateCacheSizes& states = {},
             const WindowCacheSizes& windows = {});

  /// Forgets the contents of all blocks, here and in host memory, which may be wrong after a device
  /// failed. No table has blocks.
  void forget_all();

  LastUse last_use(BlockId block) const { return m_blocks.last_use(block); }

  HostBlockStore* host() const { return m_host; }
  uint64_t num_restored() const { return m_num_restored; }  ///< Blocks, since the start.
  bool shares_prefixes() const { return m_share_prefixes; }
  const BlockPool& pool() const { return m_blocks.pool(); }
  const PrefixIndex& index() const { return m_blocks.index(); }
  StateCache& states() { return m_states; }
  const StateCache& states() const { return m_states; }
  const WindowCache& windows() const { return m_windows; }

 private:
  /// The number of leading full blocks that a sequence may share: at least one token is computed,
  /// so that there are logits.
  static int num_matchable(const BlockTable& table) {
    return (table.num_tokens() - 1) / kBlockSize;
  }
  int last_resume(const BlockTable& table, int num_blocks, bool or_host) const;
  Restored restore_until(const BlockTable& table, int last, int max_blocks);
  void restore_windows(const BlockTable& table, int last, Restored& restored, int max_parts);
  std::vector<WindowSlot> hold_windows(const BlockTable& table, int first, int last);
  void extend(BlockTable& table);
  void save_window(BlockId block, WindowSlot slot);
  bool is_named(BlockId block) const { return m_share_prefixes && index().contains(block); }
  std::optional<BlockId> find(const BlockTable& table, int index) const;
  std::vector<BlockId> find_all(const BlockTable& table) const;
  int count_restorable(const BlockTable& table) const;
  std::optional<int> find_in_host(const BlockTable& table, int index) const;
  std::optional<BlockId> restore_block(const BlockTable& table, int index);
  void touch_in_host(const BlockTable& table, int first_index);
  void demote_in_host(const BlockTable& table, int num_blocks);
  void save(BlockId block);
  std::vector<BlockCopy> match_tail(BlockTable& table);
  void name_block(BlockTable& table, int index);
  void name_tail(BlockTable& table);
  BlockId allocate();

  NamedPool m_blocks;
  StateCache m_states;
  WindowCache m_windows;
  bool m_share_prefixes;
  HostBlockStore* m_host;
  std::vector<BlockCopy> m_copies;  ///< To and from host memory, not returned yet.
  uint64_t m_num_restored = 0;
};

}  // namespace quire
