#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/cache/prefix_store.h"

namespace quire {

/// Those for whom a block is kept, or who are asked about; each once.
using PrefixOwners = std::vector<PrefixOwner>;

bool contains(const PrefixOwners& owners, const PrefixOwner& owner);

/// Whose budget a block of these owners is charged to: the personas' if one of them owns it.
PrefixOwner::Kind kindOf(const PrefixOwners& owners);

/// What is in the prefix database, without tokens and payloads: decides what goes when space is
/// short. A block is charged to the personas if one of them owns it, else to the chats.
///
/// Thread: one at a time.
/// Invariants: a block counts as used whenever a block that stands on it is, so that the least
/// recently used order has tails before heads.
class PrefixCatalog {
 public:
  struct Entry {
    int64_t row = 0;
    BlockKey parent;
    uint64_t bytes = 0;
    int64_t used = 0;  ///< A count that rises; larger is later.
    PrefixOwners owners;
  };

  const Entry* find(const BlockKey& key) const;
  size_t size() const { return m_entries.size(); }
  uint64_t bytes(PrefixOwner::Kind kind) const { return shelf(kind).bytes; }
  std::vector<BlockKey> keys() const;
  PrefixOwners owners() const;  ///< Each once.
  std::vector<BlockKey> keysOf(const PrefixOwner& owner) const;

  void insert(const BlockKey& key, Entry entry);
  void erase(const BlockKey& key);
  void clear();

  /// Used at `now`, and with it all that it stands on. False if it was, or is not here.
  bool markUsed(const BlockKey& key, int64_t now);
  /// False if it had that owner, or is not here.
  bool addOwner(const BlockKey& key, const PrefixOwner& owner);
  void removeOwner(const BlockKey& key, const PrefixOwner& owner);

  /// The block to give up next for the sake of this kind: nothing stands on it, and it, or what it
  /// stands on, is the least recently used of the kind, before `before`.
  std::optional<BlockKey> victim(PrefixOwner::Kind kind, int64_t before) const;

 private:
  using Digest = std::array<uint8_t, 32>;
  /// The blocks that are charged to one kind.
  struct Shelf {
    uint64_t bytes = 0;
    std::set<std::pair<int64_t, Digest>> byUse;
  };

  const Shelf& shelf(PrefixOwner::Kind kind) const { return m_shelves[static_cast<int>(kind)]; }
  Shelf& shelf(const Entry& entry) { return m_shelves[static_cast<int>(kindOf(entry.owners))]; }
  void putOnShelf(const BlockKey& key, const Entry& entry);
  void takeOffShelf(const BlockKey& key, const Entry& entry);

  std::unordered_map<BlockKey, Entry, BlockKeyHash> m_entries;
  /// By parent; a set, for in an odd file thousands may have one parent.
  std::unordered_map<BlockKey, std::set<Digest>, BlockKeyHash> m_children;
  Shelf m_shelves[2];
};

}  // namespace quire
