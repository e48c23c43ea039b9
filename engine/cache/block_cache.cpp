#include "engine/cache/block_cache.h"

#include <algorithm>

namespace quire {

BlockCache::BlockCache(int num_blocks, bool share_prefixes, HostBlockStore* host,
                       const StateCacheSizes& states)
    : m_blocks(num_blocks),
      m_states(states, share_prefixes),
      m_share_prefixes(share_prefixes),
      m_host(host) {}

namespace {

/// The number of leading full blocks that a sequence may share: at least one token is computed, so
/// that there are logits.
int num_matchable(const BlockTable& table) {
  return (table.num_tokens() - 1) / kBlockSize;
}

}  // namespace

std::optional<BlockId> BlockCache::find(const BlockTable& table, int index) const {
  return m_share_prefixes ? m_blocks.find(table, index) : std::nullopt;
}

/// The leading blocks that a sequence may share, as far as the pool has them.
std::vector<BlockId> BlockCache::find_all(const BlockTable& table) const {
  std::vector<BlockId> blocks;
  while (static_cast<int>(blocks.size()) < num_matchable(table)) {
    const auto block = find(table, static_cast<int>(blocks.size()));
    if (!block) break;
    blocks.push_back(*block);
  }
  return blocks;
}

BlockCache::Match BlockCache::count_matching(const BlockTable& table) const {
  const std::vector<BlockId> in_pool = find_all(table);
  const int found = static_cast<int>(in_pool.size());
  Match match = {.blocks = m_states.last_resume(table, found)};
  match.cut_blocks = found - match.blocks;
  match.free_blocks =
      static_cast<int>(std::count_if(in_pool.begin(), in_pool.begin() + match.blocks,
                                     [&](BlockId block) { return pool().ref_count(block) == 0; }));
  return match;
}

std::optional<BlockCopy> BlockCache::match_prefix(BlockTable& table) {
  CHECK(table.m_blocks.empty() && table.m_num_computed == 0);
  table.m_blocks = find_all(table);
  const int found = static_cast<int>(table.m_blocks.size());
  const int matched = m_states.last_resume(table, found);
  table.m_blocks.resize(static_cast<size_t>(matched));
  for (const BlockId block : table.m_blocks) m_blocks.retain(block);
  table.m_num_computed = matched * kBlockSize;
  m_states.resume(table, matched, found);
  return m_share_prefixes && !m_states.exists() ? match_tail(table) : std::nullopt;
}

std::optional<BlockCopy> BlockCache::match_tail(BlockTable& table) {
  const int begin = table.m_num_computed;
  const int count = std::min(kBlockSize, table.num_tokens() - 1 - begin);
  if (count <= 0) return std::nullopt;
  const auto wanted = std::span(table.m_tokens).subspan(begin, count);
  const PrefixIndex::Tail tail = index().find_tail(table.parent_key(begin / kBlockSize), wanted);
  if (tail.num_tokens == 0) return std::nullopt;
  const bool is_wanted_whole = index().num_tokens(tail.block) == tail.num_tokens;
  const bool is_ours = pool().ref_count(tail.block) == 0 && is_wanted_whole;
  m_blocks.retain(tail.block);  // Otherwise allocate() could return it as its own copy.
  if (!is_ours && pool().num_free() == 0) {
    m_blocks.release(tail.block);
    return std::nullopt;
  }
  table.m_num_computed += tail.num_tokens;
  table.m_blocks.push_back(is_ours ? tail.block : allocate());
  if (is_ours) return std::nullopt;
  m_blocks.release(tail.block);
  return BlockCopy{tail.block, table.m_blocks.back()};
}

bool BlockCache::reserve(BlockTable& table, int num_tokens) {
  const int missing = blocks_for(num_tokens) - static_cast<int>(table.m_blocks.size());
  if (missing > pool().num_free()) return false;
  for (int i = 0; i < missing; ++i) table.m_blocks.push_back(allocate());
  return true;
}

BlockCache::Restored BlockCache::restore(const BlockTable& table, int max_blocks) {
  Restored restored;
  if (m_host == nullptr || m_host->num_blocks() == 0) return restored;
  const int first = count_matching(table).blocks;
  touch_in_host(table, first);
  std::vector<BlockId> held;
  const int last = count_restorable(table);
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
  if (restored.blocks > 0) demote_in_host(table, static_cast<int>(held.size()));
  m_blocks.release_all(held, table.owner());
  m_num_restored += static_cast<uint64_t>(restored.blocks);
  return restored;
}

/// The leading blocks that a sequence may share and can go on after, here or in host memory.
int BlockCache::count_restorable(const BlockTable& table) const {
  int count = 0;
  while (count < num_matchable(table) && (find(table, count) || find_in_host(table, count))) {
    ++count;
  }
  return m_states.last_resume(table, count);
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

int BlockCache::count_held_blocks(const BlockTable& table) const {
  int count = 0;
  while (find(table, count) || find_in_host(table, count)) ++count;
  return count;
}

int BlockCache::count_held(const BlockTable& table) const {
  return m_states.last_resume(table, count_held_blocks(table));
}

BlockId BlockCache::allocate() {
  return m_blocks.allocate([this](BlockId block) {
    if (index().num_tokens(block) != kBlockSize) return;
    if (m_host != nullptr) return save(block);
    m_states.drop(index().name_of(block));
  });
}

void BlockCache::save(BlockId block) {
  const PrefixIndex::Name name = index().name_of(block);
  const auto place = m_host->add(name.key, name.parent, name.tokens);
  if (place) m_copies.push_back({block, *place, BlockCopy::Kind::kToHost});
}

void BlockCache::mark_computed(BlockTable& table, int num_computed) {
  CHECK(num_computed >= table.m_num_computed && num_computed <= table.num_tokens());
  CHECK(blocks_for(num_computed) <= static_cast<int>(table.m_blocks.size()));
  const int first = table.m_num_computed / kBlockSize;
  table.m_num_computed = num_computed;
  if (m_share_prefixes) {
    for (int i = first; i < num_computed / kBlockSize; ++i) name_block(table, i);
    name_tail(table);
  }
  m_states.mark_computed(table);
}

void BlockCache::name_block(BlockTable& table, int index) {
  const BlockId own = table.m_blocks[index];
  const auto known = m_blocks.find(table, index);
  if (!known) {
    m_blocks.name(own, table, index);
  } else if (*known != own) {
    m_blocks.retain(*known);
    table.m_blocks[index] = *known;
    m_blocks.forget(own);
    m_blocks.release(own);
  }
}

void BlockCache::name_tail(BlockTable& table) {
  const int index = table.m_num_computed / kBlockSize;
  const auto tokens = std::span(table.m_tokens).first(table.m_num_computed);
  const auto tail = tokens.subspan(size_t{kBlockSize} * index);
  if (!tail.empty()) m_blocks.name(table.m_blocks[index], table.parent_key(index), tail);
}

void BlockCache::release(BlockTable& table) {
  m_states.release(table);
  m_blocks.release_all(table.m_blocks, table.m_owner);
  table.m_blocks.clear();
  table.m_num_computed = 0;
}

void BlockCache::set_chat_open(int64_t chat, bool open) {
  m_blocks.set_chat_open(chat, open);
  m_states.set_chat_open(chat, open);
}

int BlockCache::set_pinned(const BlockTable& table, bool pinned) {
  std::vector<BlockId> blocks;
  while (const auto block = find(table, static_cast<int>(blocks.size()))) blocks.push_back(*block);
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
    m_blocks.set_pinned(*block, pinned);
  }
  const int count = static_cast<int>(blocks.size());
  m_states.set_pinned(table, count, pinned);
  return m_states.last_resume(table, count) * kBlockSize;
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
  m_blocks.forget(block);
}

void BlockCache::reset(int num_blocks, HostBlockStore* host, const StateCacheSizes& states) {
  m_blocks.reset(num_blocks);
  m_states.reset(states);
  m_host = host;
  m_copies.clear();
  m_num_restored = 0;
}

void BlockCache::forget_all() {
  m_blocks.forget_all();
  m_states.forget_all();
  m_copies.clear();
  if (m_host != nullptr) m_host->clear();
}

}  // namespace quire
