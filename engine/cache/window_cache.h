#pragma once

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <vector>

#include "engine/cache/block_pool.h"
#include "engine/cache/block_table.h"
#include "engine/cache/host_block_store.h"

namespace quire {

struct WindowCacheSizes {
  int num_slots = 0;  ///< With slot 0, which holds zeros; 0: no layer has a window.
  int window = 0;     ///< Tokens: the largest window of a layer.
  /// Window parts whose slots were needed; may be null.
  HostBlockStore* host = nullptr;

  /// The slots with which one sequence can compute `max_rows` rows in a step.
  static int least_slots(int window, int max_rows) {
    return 2 + blocks_for(window - 1) + blocks_for(max_rows + kBlockSize - 1);
  }
};

/// Slots for *window parts*: the keys and values that layers with a sliding window keep of a block.
/// A block has one slot or none. Host data only; it never touches keys and values.
///
/// A running sequence holds the slots of the blocks that its next rows see, and of those that they
/// write. A block behind the window keeps its part until the slot is allocated again: a sequence
/// resumes where all blocks that its first row sees have theirs. Parts before the ends of personas,
/// prompts and answers, and before branches, have the eviction priority of their blocks; others are
/// evicted first. Of a window the oldest parts are evicted first, because each of them invalidates
/// only one position to resume at.
///
/// Thread: the engine's.
/// Invariants: a slot's references equal the tables that list it; a free slot has a priority if and
/// only if it belongs to a block, which has a name; slot 0 is never allocated.
class WindowCache {
 public:
  WindowCache(const WindowCacheSizes& sizes, int num_blocks);

  bool exists() const { return m_sizes.num_slots > 0; }
  const WindowCacheSizes& sizes() const { return m_sizes; }
  const BlockPool& pool() const { return m_pool; }
  /// Slots that can be allocated: parts that nobody holds among them.
  int num_free() const { return m_pool.num_free(); }
  /// Whether every block can have a slot, so that blocks alone bound what runs.
  bool has_slot_for_every_block() const {
    return m_sizes.num_slots > static_cast<int>(m_slot_of.size());
  }
  int num_cached() const;

  /// The first block that a row at `position`, or later in the same block, sees.
  int first_needed(int position) const {
    return std::max(0, position / kBlockSize * kBlockSize - m_sizes.window + 1) / kBlockSize;
  }
  /// Slots that a sequence of that many tokens holds at most between steps.
  int most_held(int num_tokens) const {
    return std::min(blocks_for(num_tokens), blocks_for(m_sizes.window - 1) + 1);
  }
  static int num_held(const BlockTable& table) {
    return static_cast<int>(table.m_windows.held.size()) - table.m_windows.first;
  }

  bool has(BlockId block) const { return !exists() || m_slot_of[size_t(block)] != kNone; }
  std::optional<WindowSlot> find(BlockId block) const;
  /// The most of `num_blocks` blocks after which a sequence can resume, `has_part` telling of each
  /// index whether that block's part is there.
  template <typename HasPart>
  int last_resume(int num_blocks, const HasPart& has_part) const {
    if (!exists()) return num_blocks;
    for (int i = num_blocks - 1; i >= first_needed(num_blocks * kBlockSize); --i) {
      if (!has_part(i)) num_blocks = i;
    }
    return num_blocks;
  }

  /// The table, whose blocks were matched, continues after its num_computed() tokens: holds what
  /// its next row sees. Each of these has a part.
  void resume(BlockTable& table);
  /// Allocates a slot for a new block, the table's next. Requires num_free() > 0. `evicted` is
  /// called with a block whose part is dropped for it, if that part was to be kept.
  template <typename OnEvicted>
  WindowSlot extend(BlockTable& table, BlockId block, const OnEvicted& evicted) {
    const WindowSlot slot = allocate(block, evicted);
    table.m_windows.held.push_back(slot);
    return slot;
  }
  /// The table's last block, which has no name, is returned.
  void shrink(BlockTable& table);
  /// Replaces the table's block `index` by `known`, which has the same content.
  void share(BlockTable& table, int index, BlockId known);
  /// Keeps the parts before that position, where another sequence branches off.
  void want(BlockTable& table, int position) const;
  /// Releases the parts that no row from num_computed() on reads. `is_named` tells whether other
  /// sequences can find a block.
  template <typename IsNamed>
  void trim(BlockTable& table, const IsNamed& is_named) {
    if (!exists()) return;
    release_until(table, first_needed(table.num_computed()), false, is_named);
  }
  /// Releases all parts of the table, and marks those of its last window as kept.
  template <typename IsNamed>
  void release(BlockTable& table, const IsNamed& is_named) {
    if (!exists()) return;
    release_until(table, static_cast<int>(table.m_windows.held.size()), true, is_named);
    table.m_windows.held.clear();
    table.m_windows.first = 0;
  }

  /// The block's content is dropped: so is its part.
  void drop(BlockId block);
  /// A slot for the part of a named block that has none, to be written from a store and released.
  /// Requires num_free() > 0.
  template <typename OnEvicted>
  WindowSlot adopt(BlockId block, const OnEvicted& evicted) {
    const WindowSlot slot = allocate(block, evicted);
    m_notes[size_t(slot)].kept = true;
    return slot;
  }
  void retain(WindowSlot slot) { m_pool.retain(slot); }
  /// Releases a slot whose last owner stays as it was.
  void release(WindowSlot slot) { m_pool.release(slot, worth_of(slot)); }
  /// Releases an adopted slot that could not be written.
  void abandon(WindowSlot slot) {
    detach(slot);
    release(slot);
  }
  bool is_kept(WindowSlot slot) const { return m_notes[size_t(slot)].kept; }
  void release(WindowSlot slot, int index, const BlockOwner& owner);

  void set_chat_open(int64_t chat, bool open);
  void set_pinned(BlockId block, bool pinned);
  void forget_all();
  /// Starts again with empty slots; chats stay open. No table holds any.
  void reset(const WindowCacheSizes& sizes, int num_blocks);

 private:
  static constexpr WindowSlot kNone = 0;
  struct Note {
    BlockId block = -1;
    int64_t chat = 0;     ///< Of the last owner.
    bool kept = false;    ///< Others are expected to go on after it.
    bool shared = false;  ///< Before the end of a persona.
    bool pinned = false;
  };
  template <typename OnEvicted>
  WindowSlot allocate(BlockId block, const OnEvicted& evicted) {
    const WindowSlot slot = *m_pool.allocate();
    Note& note = m_notes[size_t(slot)];
    if (note.block >= 0) {
      if (note.kept) evicted(note.block, slot);
      m_slot_of[size_t(note.block)] = kNone;
    }
    note = {.block = block};
    m_slot_of[size_t(block)] = slot;
    return slot;
  }
  template <typename IsNamed>
  void release_until(BlockTable& table, int end, bool is_last, const IsNamed& is_named) {
    SequenceWindows& windows = table.m_windows;
    for (; windows.first < end; ++windows.first) {
      const WindowSlot slot = std::exchange(windows.held[size_t(windows.first)], kNone);
      Note& note = m_notes[size_t(slot)];
      if (!is_named(note.block)) detach(slot);
      note.kept = note.kept || is_last || is_before_resume_point(table, windows.first);
      release(slot, windows.first, table.owner());
    }
  }
  bool is_before_resume_point(const BlockTable& table, int index) const;
  bool is_in_window_of(int index, int position) const;
  BlockWorth worth_of(WindowSlot slot) const;
  void update_worth(WindowSlot slot);
  void detach(WindowSlot slot);

  WindowCacheSizes m_sizes;
  BlockPool m_pool;
  std::vector<Note> m_notes;          ///< By slot.
  std::vector<WindowSlot> m_slot_of;  ///< By block; kNone.
  std::unordered_set<int64_t> m_open_chats;
};

}  // namespace quire
