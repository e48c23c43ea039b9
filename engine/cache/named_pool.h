#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "engine/cache/block_pool.h"
#include "engine/cache/block_table.h"
#include "engine/cache/prefix_index.h"

namespace quire {

/// The last owner of a block.
struct LastUse {
  int64_t chat = 0;  ///< 0: no chat, or no owner yet.
  int index = -1;    ///< The block's place among that chat's; -1: unknown.
};

/// A pool whose items are found by the tokens that they hold, and which evicts by their worth: of
/// blocks, or of the states at the ends of blocks.
/// Thread: the engine's.
/// Invariants: a free item is worth something if and only if it has a name.
class NamedPool {
 public:
  explicit NamedPool(int size) : m_pool(size), m_index(size), m_notes(size_t(size)) {}

  const BlockPool& pool() const { return m_pool; }
  const PrefixIndex& index() const { return m_index; }
  LastUse last_use(BlockId id) const { return m_notes[size_t(id)].last_use; }

  /// The item of the table's full block `index`.
  std::optional<BlockId> find(const BlockTable& table, int index) const;

  /// Allocates the least valuable free item and erases its name, after `evicted` saw it. There is
  /// a free one.
  template <typename OnEvicted>
  BlockId allocate(const OnEvicted& evicted) {
    const BlockId id = *m_pool.allocate();
    if (m_index.contains(id)) evicted(id);
    m_index.erase(id);
    m_notes[size_t(id)] = {};
    return id;
  }
  void retain(BlockId id) { m_pool.retain(id); }
  /// The item is of the owner's block `index`.
  void release(BlockId id, int index, const BlockOwner& owner);
  /// Releases items of the owner's blocks from 0 on, tails first.
  void release_all(std::span<const BlockId> ids, const BlockOwner& owner);
  /// Releases an item whose last owner stays as it was.
  void release(BlockId id) { m_pool.release(id, worth_of(id)); }

  /// Names an item for the table's full block `index`, which has no name yet.
  void name(BlockId id, const BlockTable& table, int index);
  /// As PrefixIndex::name.
  void name(BlockId id, const BlockKey& parent, std::span<const int32_t> tokens,
            const BlockKey* key = nullptr) {
    m_index.name(id, parent, tokens, key);
  }
  /// The item holds nothing any more. A referenced one is worth nothing when it is released.
  void forget(BlockId id);
  void forget_all();

  /// Changes the worth of a chat's items, free ones included. Chat 0 stands for no chat and is
  /// never open.
  void set_chat_open(int64_t chat, bool open);
  /// Pins items, the last of a prefix first.
  void set_pinned(BlockId id, bool pinned);
  /// Makes items worth no more than those of chats that are not open, until they have another name.
  void set_minor(BlockId id) { m_notes[size_t(id)].minor = true; }

  /// Starts again with that size; chats stay open.
  void reset(int size);

 private:
  /// What is known of an item beside its name.
  struct Note {
    LastUse last_use;
    bool shared = false;
    bool pinned = false;
    bool minor = false;
  };
  BlockWorth worth_of(BlockId id) const;

  BlockPool m_pool;
  PrefixIndex m_index;
  std::vector<Note> m_notes;  ///< By item.
  std::unordered_set<int64_t> m_open_chats;
};

}  // namespace quire
