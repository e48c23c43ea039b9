// BlockCache: what comes back from host memory and from a PrefixStore, and what goes to host
// memory.

#include <algorithm>
#include <climits>
#include <utility>

#include "engine/cache/block_cache.h"

namespace quire {

BlockCache::Restored BlockCache::restore(const BlockTable& table, int max_blocks) {
  return restore_until(table, last_resume(table, count_restorable(table), true), max_blocks);
}

BlockCache::Restored BlockCache::restore_blocks(const BlockTable& table) {
  return restore_until(table, count_restorable(table), INT_MAX);
}

BlockCache::Restored BlockCache::restore_until(const BlockTable& table, int last, int max_blocks) {
  Restored restored;
  const HostBlockStore* const parts = m_windows.sizes().host;
  const bool has_blocks = m_host != nullptr && m_host->num_blocks() > 0;
  if (!has_blocks && (parts == nullptr || parts->num_blocks() == 0)) return restored;
  const int first = count_matching(table).blocks;
  if (m_host != nullptr) touch_in_host(table, first);
  std::vector<BlockId> held;
  for (int i = 0; i < last; ++i) {
    auto block = find(table, i);
    if (block) {
      m_blocks.retain(*block);
    } else {
      if (!find_in_host(table, i) || pool().num_free() == 0) break;
      restored.is_whole = restored.blocks < max_blocks;
      if (!restored.is_whole) break;
      block = restore_block(table, i);
      if (!block) break;
      ++restored.blocks;
    }
    held.push_back(*block);
  }
  const bool has_all = static_cast<int>(held.size()) == last;
  if (has_all) restore_windows(table, last, restored, max_blocks);
  if (restored.blocks > 0) demote_in_host(table, static_cast<int>(held.size()));
  m_blocks.release_all(held, table.owner());
  m_num_restored += static_cast<uint64_t>(restored.blocks);
  return restored;
}

/// Retains the window parts of the table's blocks [first, last) that are there; 0 for the others.
std::vector<WindowSlot> BlockCache::hold_windows(const BlockTable& table, int first, int last) {
  std::vector<WindowSlot> held;
  for (int i = first; i < last; ++i) {
    const auto block = find(table, i);
    const WindowSlot slot = block ? m_windows.find(*block).value_or(0) : 0;
    held.push_back(slot);
    if (slot != 0) m_windows.retain(slot);
  }
  return held;
}

/// Restores the window parts that a sequence needs to go on after the table's first `last` blocks,
/// which are in the pool: at most `max_parts` together with the restored blocks.
void BlockCache::restore_windows(const BlockTable& table, int last, Restored& restored,
                                 int max_parts) {
  HostBlockStore* const host = m_windows.sizes().host;
  if (!m_windows.exists() || host == nullptr) return;
  const int first = m_windows.first_needed(last * kBlockSize);
  std::vector<WindowSlot> held = hold_windows(table, first, last);
  int left = max_parts - restored.blocks;
  for (int i = first; i < last && restored.is_whole; ++i) {
    WindowSlot& slot = held[size_t(i - first)];
    if (slot != 0 || !has_window(table, i, true) || m_windows.num_free() == 0) continue;
    restored.is_whole = left-- > 0;
    if (!restored.is_whole) break;
    slot = m_windows.adopt(*find(table, i), [this](BlockId b, WindowSlot s) { save_window(b, s); });
    // Making room may have evicted the wanted part from host memory.
    const auto place =
        host->find(table.keys()[size_t(i)], table.parent_key(i), table.block_tokens(i));
    if (place) m_copies.push_back({*place, slot, BlockCopy::Kind::kFromHost, true});
    if (!place) m_windows.abandon(std::exchange(slot, 0));
  }
  for (int i = first; i < last; ++i) {
    const auto place =
        host->find(table.keys()[size_t(i)], table.parent_key(i), table.block_tokens(i));
    if (place) host->demote(*place);
    if (const WindowSlot slot = held[size_t(i - first)]) m_windows.release(slot, i, table.owner());
  }
}

/// The leading blocks that a sequence may share, here or in host memory.
int BlockCache::count_restorable(const BlockTable& table) const {
  int count = 0;
  while (count < num_matchable(table) && (find(table, count) || find_in_host(table, count))) {
    ++count;
  }
  return count;
}

std::optional<int> BlockCache::find_in_host(const BlockTable& table, int index) const {
  const bool is_full = index < static_cast<int>(table.keys().size());
  if (m_host == nullptr || !m_share_prefixes || !is_full) return std::nullopt;
  return m_host->find(table.keys()[index], table.parent_key(index), table.block_tokens(index));
}

// Blocks that are evicted from the pool meanwhile must not replace the ones that are needed next.
void BlockCache::touch_in_host(const BlockTable& table, int first_index) {
  std::vector<int> places;
  while (const auto place = find_in_host(table, first_index + static_cast<int>(places.size()))) {
    places.push_back(*place);
  }
  for (auto place = places.rbegin(); place != places.rend(); ++place) m_host->touch(*place);
}

// Blocks that are in the pool again are the first to be evicted from host memory, tails before
// heads, as in the pool. Called after all copies are listed, so that no place is overwritten while
// it is still being copied from.
void BlockCache::demote_in_host(const BlockTable& table, int num_blocks) {
  for (int i = 0; i < num_blocks; ++i) {
    if (const auto place = find_in_host(table, i)) m_host->demote(*place);
  }
}

// Allocating a block may evict the wanted one from host memory, so it is looked up afterwards.
std::optional<BlockId> BlockCache::restore_block(const BlockTable& table, int index) {
  const BlockId block = allocate();
  const auto place = find_in_host(table, index);
  if (!place) {
    m_blocks.release(block);
    return std::nullopt;
  }
  m_blocks.name(block, table, index);
  m_copies.push_back({*place, block, BlockCopy::Kind::kFromHost});
  return block;
}

/// Saves the part of a block in host memory: the slot is needed.
void BlockCache::save_window(BlockId block, WindowSlot slot) {
  HostBlockStore* const host = m_windows.sizes().host;
  if (host == nullptr || index().num_tokens(block) != kBlockSize) return;
  const PrefixIndex::Name name = index().name_of(block);
  const auto place = host->add(name.key, name.parent, name.tokens);
  if (place) m_copies.push_back({slot, *place, BlockCopy::Kind::kToHost, true});
}

void BlockCache::save(BlockId block) {
  const PrefixIndex::Name name = index().name_of(block);
  const auto place = m_host->add(name.key, name.parent, name.tokens);
  if (place) m_copies.push_back({block, *place, BlockCopy::Kind::kToHost});
}

std::vector<std::optional<BlockId>> BlockCache::adopt(std::span<const StoredBlock> blocks,
                                                      const BlockTable& table, int first_index) {
  std::vector<std::optional<BlockId>> adopted(blocks.size());
  // The blocks before them could be the least recently used: they must not be evicted for these.
  std::vector<BlockId> held;
  while (static_cast<int>(held.size()) < first_index) {
    const auto block = find(table, static_cast<int>(held.size()));
    if (!block) break;
    m_blocks.retain(*block);
    held.push_back(*block);
  }
  const bool has_head = static_cast<int>(held.size()) == first_index;
  for (size_t i = 0; has_head && i < blocks.size(); ++i) {
    const StoredBlock& stored = blocks[i];
    auto block = index().find(stored.key, stored.parent, stored.tokens);
    if (block) {
      m_blocks.retain(*block);
    } else if (pool().num_free() > 0) {
      block = adopted[i] = allocate();
      m_blocks.name(*block, stored.parent, stored.tokens, &stored.key);
    } else {
      break;
    }
    held.push_back(*block);
  }
  m_blocks.release_all(held, table.owner());
  return adopted;
}

void BlockCache::disown(BlockId block) {
  CHECK(pool().ref_count(block) == 0);
  m_windows.drop(block);
  m_blocks.forget(block);
}

std::vector<std::optional<WindowSlot>> BlockCache::adopt_windows(const BlockTable& table,
                                                                 std::span<const int> indices) {
  std::vector<std::optional<WindowSlot>> adopted(indices.size());
  if (indices.empty() || !m_windows.exists()) return adopted;
  // Parts beside them must not be dropped for these.
  const int first = m_windows.first_needed(indices.front() * kBlockSize);
  const int last = indices.back() + 1;
  std::vector<WindowSlot> held = hold_windows(table, first, last);
  for (size_t i = 0; i < indices.size() && m_windows.num_free() > 0; ++i) {
    WindowSlot& slot = held[size_t(indices[i] - first)];
    const auto block = find(table, indices[i]);
    if (!block || slot != 0) continue;
    slot = m_windows.adopt(*block, [this](BlockId b, WindowSlot s) { save_window(b, s); });
    adopted[i] = slot;
  }
  for (int i = first; i < last; ++i) {
    if (const WindowSlot slot = held[size_t(i - first)]) m_windows.release(slot, i, table.owner());
  }
  return adopted;
}

void BlockCache::disown_window(const BlockTable& table, int index) {
  if (const auto block = find(table, index)) m_windows.drop(*block);
}

}  // namespace quire
