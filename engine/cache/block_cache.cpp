#include "engine/cache/block_cache.h"

#include <algorithm>

namespace quire {

BlockCache::BlockCache(int num_blocks, bool share_prefixes, HostBlockStore* host,
                       const StateCacheSizes& states, const WindowCacheSizes& windows)
    : m_blocks(num_blocks),
      m_states(states, share_prefixes),
      m_windows(windows, num_blocks),
      m_share_prefixes(share_prefixes),
      m_host(host) {}

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
  Match match = {.blocks = last_resume(table, found, /*or_host=*/false)};
  match.cut_blocks = found - match.blocks;
  match.free_blocks =
      static_cast<int>(std::count_if(in_pool.begin(), in_pool.begin() + match.blocks,
                                     [&](BlockId block) { return pool().ref_count(block) == 0; }));
  if (!m_windows.exists()) return match;
  for (int i = m_windows.first_needed(match.blocks * kBlockSize); i < match.blocks; ++i) {
    const WindowSlot slot = *m_windows.find(in_pool[size_t(i)]);
    ++match.window_parts;
    if (m_windows.pool().ref_count(slot) == 0) ++match.free_window_parts;
  }
  return match;
}

/// The most of the table's first `num_blocks` blocks after which a sequence can go on.
int BlockCache::last_resume(const BlockTable& table, int num_blocks, bool or_host) const {
  while (true) {
    const int with_state = m_states.last_resume(table, num_blocks);
    const int with_windows = m_windows.last_resume(
        with_state, [&](int index) { return has_window(table, index, or_host); });
    if (with_windows == num_blocks) return num_blocks;
    num_blocks = with_windows;
  }
}

bool BlockCache::has_window(const BlockTable& table, int index, bool or_host) const {
  const auto block = find(table, index);
  if (block && m_windows.has(*block)) return true;
  const HostBlockStore* const host = m_windows.sizes().host;
  if (!or_host || host == nullptr || index >= static_cast<int>(table.keys().size())) return false;
  return host->find(table.keys()[size_t(index)], table.parent_key(index), table.block_tokens(index))
      .has_value();
}

std::vector<BlockCopy> BlockCache::match_prefix(BlockTable& table) {
  CHECK(table.m_blocks.empty() && table.m_num_computed == 0);
  table.m_blocks = find_all(table);
  const int found = static_cast<int>(table.m_blocks.size());
  const int matched = last_resume(table, found, /*or_host=*/false);
  table.m_blocks.resize(static_cast<size_t>(matched));
  for (const BlockId block : table.m_blocks) m_blocks.retain(block);
  table.m_num_computed = matched * kBlockSize;
  m_states.resume(table, matched, found);
  m_windows.resume(table);
  table.m_states.num_cut = (found - matched) * kBlockSize;
  if (found > matched) want_resume_point(table, found * kBlockSize);
  const bool may_end_in_block = m_share_prefixes && !m_states.exists() && found == matched;
  return may_end_in_block ? match_tail(table) : std::vector<BlockCopy>();
}

std::vector<BlockCopy> BlockCache::match_tail(BlockTable& table) {
  const int begin = table.m_num_computed;
  const int count = std::min(kBlockSize, table.num_tokens() - 1 - begin);
  if (count <= 0) return {};
  const auto wanted = std::span(table.m_tokens).subspan(begin, count);
  const PrefixIndex::Tail tail = index().find_tail(table.parent_key(begin / kBlockSize), wanted);
  if (tail.num_tokens == 0 || !m_windows.has(tail.block)) return {};
  const bool is_wanted_whole = index().num_tokens(tail.block) == tail.num_tokens;
  const bool is_ours = pool().ref_count(tail.block) == 0 && is_wanted_whole;
  m_blocks.retain(tail.block);  // Otherwise allocate() could return it as its own copy.
  const auto part = m_windows.find(tail.block);
  if (part) m_windows.retain(*part);
  const auto free_tail = [&] {
    m_blocks.release(tail.block);
    if (part) m_windows.release(*part);
  };
  const bool has_room = pool().num_free() > 0 && (!part || m_windows.num_free() > 0);
  if (!is_ours && !has_room) return free_tail(), std::vector<BlockCopy>();
  table.m_num_computed += tail.num_tokens;
  if (is_ours) {
    table.m_blocks.push_back(tail.block);
    if (part) table.m_windows.held.push_back(*part);
    return {};
  }
  extend(table);
  free_tail();
  std::vector<BlockCopy> copies = {{tail.block, table.m_blocks.back()}};
  if (part) copies.push_back({.from = *part, .to = table.m_windows.held.back(), .is_window = true});
  return copies;
}

bool BlockCache::reserve(BlockTable& table, int num_tokens) {
  const int missing = blocks_for(num_tokens) - static_cast<int>(table.m_blocks.size());
  if (missing > pool().num_free()) return false;
  if (m_windows.exists() && missing > m_windows.num_free()) return false;
  for (int i = 0; i < missing; ++i) extend(table);
  return true;
}

/// Adds a new block to the table.
void BlockCache::extend(BlockTable& table) {
  table.m_blocks.push_back(allocate());
  if (!m_windows.exists()) return;
  m_windows.extend(table, table.m_blocks.back(),
                   [this](BlockId block, WindowSlot slot) { save_window(block, slot); });
}

int BlockCache::count_held_blocks(const BlockTable& table) const {
  int count = 0;
  while (find(table, count) || find_in_host(table, count)) ++count;
  return count;
}

int BlockCache::count_held(const BlockTable& table) const {
  return last_resume(table, count_held_blocks(table), /*or_host=*/true);
}

BlockId BlockCache::allocate() {
  const BlockId allocated = m_blocks.allocate([this](BlockId block) {
    if (index().num_tokens(block) != kBlockSize) return;
    const auto part = m_windows.find(block);
    if (part && m_windows.is_kept(*part)) save_window(block, *part);
    if (m_host != nullptr) return save(block);
    m_states.drop(index().name_of(block));
  });
  m_windows.drop(allocated);
  return allocated;
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
  m_windows.trim(table, [this](BlockId block) { return is_named(block); });
}

void BlockCache::name_block(BlockTable& table, int index) {
  const BlockId own = table.m_blocks[index];
  const auto known = m_blocks.find(table, index);
  if (!known) {
    m_blocks.name(own, table, index);
  } else if (*known != own) {
    m_blocks.retain(*known);
    m_windows.share(table, index, *known);
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

void BlockCache::drop_drafts(BlockTable& table) {
  m_states.drop_drafts(table);
  while (std::ssize(table.m_blocks) > blocks_for(table.num_tokens())) {
    m_windows.shrink(table);
    m_blocks.release(table.m_blocks.back());
    table.m_blocks.pop_back();
  }
}

void BlockCache::release(BlockTable& table) {
  m_states.release(table);
  m_windows.release(table, [this](BlockId block) { return is_named(block); });
  m_blocks.release_all(table.m_blocks, table.m_owner);
  table.m_blocks.clear();
  table.m_num_computed = 0;
}

void BlockCache::set_chat_open(int64_t chat, bool open) {
  m_blocks.set_chat_open(chat, open);
  m_states.set_chat_open(chat, open);
  m_windows.set_chat_open(chat, open);
}

int BlockCache::set_pinned(const BlockTable& table, bool pinned) {
  std::vector<BlockId> blocks;
  while (const auto block = find(table, static_cast<int>(blocks.size()))) blocks.push_back(*block);
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
    m_blocks.set_pinned(*block, pinned);
  }
  const int count = static_cast<int>(blocks.size());
  m_states.set_pinned(table, count, pinned);
  const int resume = last_resume(table, count, /*or_host=*/false);
  // Of the last window alone: others may be needed for slots.
  for (int i = count - 1; i >= 0; --i) {
    const bool is_seen = i < resume && i >= m_windows.first_needed(resume * kBlockSize);
    if (!pinned || is_seen) m_windows.set_pinned(blocks[size_t(i)], pinned);
  }
  return resume * kBlockSize;
}

void BlockCache::reset(int num_blocks, HostBlockStore* host, const StateCacheSizes& states,
                       const WindowCacheSizes& windows) {
  m_blocks.reset(num_blocks);
  m_states.reset(states);
  m_windows.reset(windows, num_blocks);
  m_host = host;
  m_copies.clear();
  m_num_restored = 0;
}

void BlockCache::forget_all() {
  m_blocks.forget_all();
  m_states.forget_all();
  m_windows.forget_all();
  m_copies.clear();
  for (HostBlockStore* const host : {m_host, m_windows.sizes().host}) {
    if (host != nullptr) host->clear();
  }
}

}  // namespace quire
