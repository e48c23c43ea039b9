#include "engine/cache/block_cache.h"

#include <ranges>

namespace quire {

BlockCache::BlockCache(int num_blocks, bool share_prefixes)
    : m_pool(num_blocks), m_index(num_blocks), m_share_prefixes(share_prefixes) {}

std::optional<BlockId> BlockCache::find(const BlockTable& table, int index) const {
  const bool leaves_a_token = (index + 1) * kBlockSize < table.num_tokens();
  if (!m_share_prefixes || !leaves_a_token) return std::nullopt;
  return m_index.find(table.keys()[index], table.parent_key(index), table.block_tokens(index));
}

BlockCache::Match BlockCache::count_matching(const BlockTable& table) const {
  Match match;
  while (const auto block = find(table, match.blocks)) {
    ++match.blocks;
    if (m_pool.ref_count(*block) == 0) ++match.free_blocks;
  }
  return match;
}

void BlockCache::match_prefix(BlockTable& table) {
  CHECK(table.m_blocks.empty() && table.m_num_computed == 0);
  while (const auto block = find(table, static_cast<int>(table.m_blocks.size()))) {
    m_pool.retain(*block);
    table.m_blocks.push_back(*block);
  }
  table.m_num_computed = static_cast<int>(table.m_blocks.size()) * kBlockSize;
}

bool BlockCache::reserve(BlockTable& table, int num_tokens) {
  const int missing = blocks_for(num_tokens) - static_cast<int>(table.m_blocks.size());
  if (missing > m_pool.num_free()) return false;
  for (int i = 0; i < missing; ++i) {
    const BlockId block = *m_pool.take();
    m_index.erase(block);
    table.m_blocks.push_back(block);
  }
  return true;
}

void BlockCache::mark_computed(BlockTable& table, int num_computed) {
  CHECK(num_computed >= table.m_num_computed && num_computed <= table.num_tokens());
  CHECK(blocks_for(num_computed) <= static_cast<int>(table.m_blocks.size()));
  const int first = table.m_num_computed / kBlockSize;
  table.m_num_computed = num_computed;
  if (!m_share_prefixes) return;
  for (int i = first; i < num_computed / kBlockSize; ++i) name_block(table, i);
}

void BlockCache::name_block(BlockTable& table, int index) {
  const BlockId own = table.m_blocks[index];
  const BlockKey& key = table.keys()[index];
  const auto known = m_index.find(key, table.parent_key(index), table.block_tokens(index));
  if (!known) {
    m_index.insert(own, key, table.parent_key(index), table.block_tokens(index));
  } else if (*known != own) {
    m_pool.retain(*known);
    table.m_blocks[index] = *known;
    release_block(own);
  }
}

void BlockCache::release(BlockTable& table) {
  for (const BlockId block : std::views::reverse(table.m_blocks)) release_block(block);
  table.m_blocks.clear();
  table.m_num_computed = 0;
}

void BlockCache::release_block(BlockId block) {
  m_pool.release(block, m_index.contains(block) ? BlockPool::OnFree::kReuseLast
                                                : BlockPool::OnFree::kReuseFirst);
}

}  // namespace quire
