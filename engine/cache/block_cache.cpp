#include "engine/cache/block_cache.h"

#include <algorithm>

namespace quire {

BlockCache::BlockCache(int num_blocks, bool share_prefixes, HostBlockStore* host)
    : m_pool(num_blocks),
      m_index(num_blocks),
      m_notes(num_blocks),
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
  if (!m_share_prefixes || index >= static_cast<int>(table.keys().size())) return std::nullopt;
  return m_index.find(table.keys()[index], table.parent_key(index), table.block_tokens(index));
}

BlockCache::Match BlockCache::count_matching(const BlockTable& table) const {
  Match match;
  while (match.blocks < num_matchable(table)) {
    const auto block = find(table, match.blocks);
    if (!block) break;
    ++match.blocks;
    if (m_pool.ref_count(*block) == 0) ++match.free_blocks;
  }
  return match;
}

std::optional<BlockCopy> BlockCache::match_prefix(BlockTable& table) {
  CHECK(table.m_blocks.empty() && table.m_num_computed == 0);
  for (int i = 0; i < num_matchable(table); ++i) {
    const auto block = find(table, i);
    if (!block) break;
    m_pool.retain(*block);
    table.m_blocks.push_back(*block);
  }
  table.m_num_computed = static_cast<int>(table.m_blocks.size()) * kBlockSize;
  return m_share_prefixes ? match_tail(table) : std::nullopt;
}

std::optional<BlockCopy> BlockCache::match_tail(BlockTable& table) {
  const int begin = table.m_num_computed;
  const int count = std::min(kBlockSize, table.num_tokens() - 1 - begin);
  if (count <= 0) return std::nullopt;
  const auto wanted = std::span(table.m_tokens).subspan(begin, count);
  const PrefixIndex::Tail tail = m_index.find_tail(table.parent_key(begin / kBlockSize), wanted);
  if (tail.num_tokens == 0) return std::nullopt;
  const bool is_wanted_whole = m_index.num_tokens(tail.block) == tail.num_tokens;
  const bool is_ours = m_pool.ref_count(tail.block) == 0 && is_wanted_whole;
  m_pool.retain(tail.block);  // Otherwise allocate() could return it as its own copy.
  if (!is_ours && m_pool.num_free() == 0) {
    m_pool.release(tail.block, worth_of(tail.block));
    return std::nullopt;
  }
  table.m_num_computed += tail.num_tokens;
  table.m_blocks.push_back(is_ours ? tail.block : allocate());
  if (is_ours) return std::nullopt;
  m_pool.release(tail.block, worth_of(tail.block));
  return BlockCopy{tail.block, table.m_blocks.back()};
}

bool BlockCache::reserve(BlockTable& table, int num_tokens) {
  const int missing = blocks_for(num_tokens) - static_cast<int>(table.m_blocks.size());
  if (missing > m_pool.num_free()) return false;
  for (int i = 0; i < missing; ++i) table.m_blocks.push_back(allocate());
  return true;
}

BlockCache::Restored BlockCache::restore(const BlockTable& table, int max_blocks) {
  Restored restored;
  if (m_host == nullptr || m_host->num_blocks() == 0) return restored;
  const int first = count_matching(table).blocks;
  touch_in_host(table, first);
  std::vector<BlockId> held;
  for (int i = 0; i < num_matchable(table); ++i) {
    auto block = find(table, i);
    if (block) {
      m_pool.retain(*block);
    } else {
      if (!find_in_host(table, i) || m_pool.num_free() == 0) break;
      restored.is_whole = restored.blocks < max_blocks;
      if (!restored.is_whole) break;
      block = restore_block(table, i);
      if (!block) break;
      ++restored.blocks;
    }
    held.push_back(*block);
  }
  if (restored.blocks > 0) demote_in_host(table, static_cast<int>(held.size()));
  release_all(held, table.owner());
  m_num_restored += static_cast<uint64_t>(restored.blocks);
  return restored;
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
    m_pool.release(block, BlockWorth::kNone);
    return std::nullopt;
  }
  m_index.name(block, table.parent_key(index), table.block_tokens(index), &table.keys()[index]);
  m_copies.push_back({*place, block, BlockCopy::Kind::kFromHost});
  return block;
}

int BlockCache::count_held(const BlockTable& table) const {
  int count = 0;
  while (find(table, count) || find_in_host(table, count)) ++count;
  return count;
}

void BlockCache::release_all(std::span<const BlockId> blocks, const BlockOwner& owner) {
  for (int i = static_cast<int>(blocks.size()) - 1; i >= 0; --i) {
    release_block(blocks[static_cast<size_t>(i)], i, owner);
  }
}

BlockId BlockCache::allocate() {
  const BlockId block = *m_pool.allocate();
  if (m_host != nullptr && m_index.num_tokens(block) == kBlockSize) save(block);
  m_index.erase(block);
  m_notes[block] = {};
  return block;
}

void BlockCache::save(BlockId block) {
  const PrefixIndex::Name name = m_index.name_of(block);
  const auto place = m_host->add(name.key, name.parent, name.tokens);
  if (place) m_copies.push_back({block, *place, BlockCopy::Kind::kToHost});
}

void BlockCache::mark_computed(BlockTable& table, int num_computed) {
  CHECK(num_computed >= table.m_num_computed && num_computed <= table.num_tokens());
  CHECK(blocks_for(num_computed) <= static_cast<int>(table.m_blocks.size()));
  const int first = table.m_num_computed / kBlockSize;
  table.m_num_computed = num_computed;
  if (!m_share_prefixes) return;
  for (int i = first; i < num_computed / kBlockSize; ++i) name_block(table, i);
  name_tail(table);
}

void BlockCache::name_block(BlockTable& table, int index) {
  const BlockId own = table.m_blocks[index];
  const BlockKey& key = table.keys()[index];
  const auto known = m_index.find(key, table.parent_key(index), table.block_tokens(index));
  if (!known) {
    m_index.name(own, table.parent_key(index), table.block_tokens(index), &key);
  } else if (*known != own) {
    m_pool.retain(*known);
    table.m_blocks[index] = *known;
    m_index.erase(own);
    m_pool.release(own, BlockWorth::kNone);
  }
}

void BlockCache::name_tail(BlockTable& table) {
  const int index = table.m_num_computed / kBlockSize;
  const auto tokens = std::span(table.m_tokens).first(table.m_num_computed);
  const auto tail = tokens.subspan(size_t{kBlockSize} * index);
  if (!tail.empty()) m_index.name(table.m_blocks[index], table.parent_key(index), tail);
}

void BlockCache::release(BlockTable& table) {
  release_all(table.m_blocks, table.m_owner);
  table.m_blocks.clear();
  table.m_num_computed = 0;
}

void BlockCache::release_block(BlockId block, int index, const BlockOwner& owner) {
  m_notes[block].last_use = {owner.chat, index};
  if ((index + 1) * kBlockSize <= owner.shared_tokens) m_notes[block].shared = true;
  m_pool.release(block, worth_of(block));
}

BlockWorth BlockCache::worth_of(BlockId block) const {
  const Note& note = m_notes[block];
  if (!m_index.contains(block)) return BlockWorth::kNone;
  if (note.pinned) return BlockWorth::kPinned;
  if (note.shared) return BlockWorth::kPersona;
  return m_open_chats.contains(note.last_use.chat) ? BlockWorth::kOpenChat : BlockWorth::kChat;
}

void BlockCache::set_chat_open(int64_t chat, bool open) {
  if (chat == 0) return;
  const bool changed = open ? m_open_chats.insert(chat).second : m_open_chats.erase(chat) > 0;
  if (!changed) return;
  // In the order of eviction, so that tails are still evicted before heads.
  for (const BlockId block : m_pool.free_blocks(open ? BlockWorth::kChat : BlockWorth::kOpenChat)) {
    if (m_notes[block].last_use.chat == chat) m_pool.set_worth(block, worth_of(block));
  }
}

int BlockCache::set_pinned(const BlockTable& table, bool pinned) {
  std::vector<BlockId> blocks;
  while (const auto block = find(table, static_cast<int>(blocks.size()))) blocks.push_back(*block);
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
    m_notes[*block].pinned = pinned;
    if (m_pool.ref_count(*block) == 0) m_pool.set_worth(*block, worth_of(*block));
  }
  return static_cast<int>(blocks.size()) * kBlockSize;
}

std::vector<std::optional<BlockId>> BlockCache::adopt(std::span<const StoredBlock> blocks,
                                                      const BlockTable& table, int first_index) {
  std::vector<std::optional<BlockId>> adopted(blocks.size());
  // The blocks before them could be the least recently used: they must not be evicted for these.
  std::vector<BlockId> held;
  while (static_cast<int>(held.size()) < first_index) {
    const auto block = find(table, static_cast<int>(held.size()));
    if (!block) break;
    m_pool.retain(*block);
    held.push_back(*block);
  }
  const bool has_head = static_cast<int>(held.size()) == first_index;
  for (size_t i = 0; has_head && i < blocks.size(); ++i) {
    const StoredBlock& stored = blocks[i];
    auto block = m_index.find(stored.key, stored.parent, stored.tokens);
    if (block) {
      m_pool.retain(*block);
    } else if (m_pool.num_free() > 0) {
      block = adopted[i] = allocate();
      m_index.name(*block, stored.parent, stored.tokens, &stored.key);
    } else {
      break;
    }
    held.push_back(*block);
  }
  release_all(held, table.owner());
  return adopted;
}

void BlockCache::disown(BlockId block) {
  CHECK(m_pool.ref_count(block) == 0);
  m_index.erase(block);
  m_pool.set_worth(block, BlockWorth::kNone);
}

void BlockCache::reset(int num_blocks, HostBlockStore* host) {
  auto open_chats = std::move(m_open_chats);
  *this = BlockCache(num_blocks, m_share_prefixes, host);
  m_open_chats = std::move(open_chats);
}

void BlockCache::forget_all() {
  CHECK(m_pool.num_free() == m_pool.size());
  for (BlockId block = 0; block < m_pool.size(); ++block) {
    if (m_index.contains(block)) disown(block);
  }
  m_copies.clear();
  if (m_host != nullptr) m_host->clear();
}

}  // namespace quire
