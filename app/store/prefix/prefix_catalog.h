#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/cache/prefix_store.h"

namespace quire {

/// The chats and personas that own a block, each once.
using PrefixOwners = std::vector<PrefixOwner>;

bool contains(const PrefixOwners& owners, const PrefixOwner& owner);

/// The budget to which a block of these owners is charged: the personas' if one of them owns it.
PrefixOwner::Kind kindOf(const PrefixOwners& owners);

/// The blocks of the prefix database without their tokens and payloads; chooses the block to evict.
/// A block is charged to the personas if one of them owns it, else to the chats.
///
/// Thread: one at a time.
/// Invariants: using a block uses its parents, so that in the order of use tails come before heads.
class PrefixCatalog {
 public:
  struct Entry {
    int64_t row = 0;
    BlockKey parent;
    uint64_t bytes = 0;
    int64_t used = 0;  ///< The time of use as a count; larger is later.
    PrefixOwners owners;
  };

  const Entry* find(const BlockKey& key) const;
  size_t size() const { return m_entries.size(); }
  uint64_t bytes(PrefixOwner::Kind kind) const { return charged(kind).bytes; }
  std::vector<BlockKey> keys() const;
  PrefixOwners owners() const;  ///< Each once.
  std::vector<BlockKey> keysOf(const PrefixOwner& owner) const;

  void insert(const BlockKey& key, Entry entry);
  void erase(const BlockKey& key);
  void clear() { *this = {}; }

  /// Marks a block and its parents as used at `now`. False if it was already, or is not here.
  bool markUsed(const BlockKey& key, int64_t now);
  /// False if the block has that owner already, or is not here.
  bool addOwner(const BlockKey& key, const PrefixOwner& owner);
  void removeOwner(const BlockKey& key, const PrefixOwner& owner);

  /// The block to evict next from this kind's budget: a block without children in the chain of the
  /// kind's least recently used block, if that was used before `before`.
  std::optional<BlockKey> victim(PrefixOwner::Kind kind, int64_t before) const;

 private:
  using Digest = std::array<uint8_t, 32>;
  /// The blocks that are charged to one kind, by their time of use.
  struct Charged {
    uint64_t bytes = 0;
    std::set<std::pair<int64_t, Digest>> byUse;
  };

  const Charged& charged(PrefixOwner::Kind kind) const { return m_charged[static_cast<int>(kind)]; }
  Charged& charged(const Entry& entry) { return m_charged[static_cast<int>(kindOf(entry.owners))]; }
  void charge(const BlockKey& key, const Entry& entry);
  void discharge(const BlockKey& key, const Entry& entry);

  std::unordered_map<BlockKey, Entry, BlockKeyHash> m_entries;
  /// By parent; sets, because in a forged file thousands of blocks may have one parent.
  std::unordered_map<BlockKey, std::set<Digest>, BlockKeyHash> m_children;
  Charged m_charged[2];
};

}  // namespace quire
