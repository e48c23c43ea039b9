#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/cache/block_key.h"
#include "kernels/backend.h"

namespace quire {

/// Full blocks that were evicted from the pool, in host memory from which the device copies fast,
/// under a budget: blocks that are in the pool again are evicted first, then the least recently
/// used. Names and memory only; PrefixTransfer makes the copies (see BlockCopy).
///
/// The memory is allocated piece by piece as it is needed, since pinning all of it would take
/// seconds and keep it from other programs; where the system has no more, the store stops growing.
///
/// Thread: the engine's.
/// Invariants: one place for a key; a hit is verified against the block's own tokens and parent;
/// allocated_bytes() never exceeds the budget.
class HostBlockStore {
 public:
  /// `backend` allocates the memory and must outlive the store.
  HostBlockStore(Backend& backend, size_t bytes_per_block, uint64_t budget_bytes);

  /// Where the block of these kBlockSize tokens after `parent` is kept.
  std::optional<int> find(const BlockKey& key, const BlockKey& parent,
                          std::span<const int32_t> tokens) const;

  /// A place that the block must be written to. Nothing if the store has the block already, which
  /// then counts as used now, or if there is no room at all.
  std::optional<int> add(const BlockKey& key, const BlockKey& parent,
                         std::span<const int32_t> tokens);

  /// The block counts as used now.
  void touch(int place);

  /// The block is in the pool again: it is evicted next.
  void demote(int place);

  /// The bytes of a place, valid as long as the store.
  std::span<std::byte> bytes(int place);

  /// Forgets all blocks and keeps the memory.
  void clear();

  int num_blocks() const { return static_cast<int>(m_places.size()); }
  size_t allocated_bytes() const { return m_entries.size() * m_bytes_per_block; }

 private:
  struct Entry {
    BlockKey key;
    BlockKey parent;
    std::array<int32_t, kBlockSize> tokens{};
    std::list<int>::iterator position;  ///< In m_order.
    std::byte* memory = nullptr;
  };
  std::optional<int> allocate_place();
  void grow();

  Backend* m_backend;
  size_t m_bytes_per_block;
  size_t m_max_blocks;
  std::vector<std::unique_ptr<DeviceBuffer>> m_memory;
  std::vector<Entry> m_entries;  ///< By place.
  std::vector<int> m_free;
  std::list<int> m_order;  ///< Places in use; the last one is evicted first.
  std::unordered_map<BlockKey, int, BlockKeyHash> m_places;
};

}  // namespace quire
