#include "engine/cache/block_cache.h"

#include <algorithm>

namespace quire {

BlockCache::BlockCache(int num_blocks, bool share_prefixes)
    : m_pool(num_blocks),
      m_index(num_blocks),
      m_notes(num_blocks),
      m_share_prefixes(share_prefixes) {}

// One token at least is left to compute, so that there are logits.
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

std::optional<BlockCopy> BlockCache::match_prefix(BlockTable& table) {
  CHECK(table.m_blocks.empty() && table.m_num_computed == 0);
  while (const auto block = find(table, static_cast<int>(table.m_blocks.size()))) {
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
  m_pool.retain(tail.block);  // Or it might be taken for its own copy.
  if (!is_ours && m_pool.num_free() == 0) {
    m_pool.release(tail.block, worth_of(tail.block));
    return std::nullopt;
  }
  table.m_num_computed += tail.num_tokens;
  table.m_blocks.push_back(is_ours ? tail.block : take());
  if (is_ours) return std::nullopt;
  m_pool.release(tail.block, worth_of(tail.block));
  return BlockCopy{tail.block, table.m_blocks.back()};
}

bool BlockCache::reserve(BlockTable& table, int num_tokens) {
  const int missing = blocks_for(num_tokens) - static_cast<int>(table.m_blocks.size());
  if (missing > m_pool.num_free()) return false;
  for (int i = 0; i < missing; ++i) table.m_blocks.push_back(take());
  return true;
}

BlockId BlockCache::take() {
  const BlockId block = *m_pool.take();
  m_index.erase(block);
  m_notes[block] = {};
  return block;
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
  for (int i = static_cast<int>(table.m_blocks.size()) - 1; i >= 0; --i) {
    release_block(table.m_blocks[i], i, table.m_owner);
  }
  table.m_blocks.clear();
  table.m_num_computed = 0;
}

void BlockCache::release_block(BlockId block, int index, const BlockOwner& owner) {
  m_notes[block].chat = owner.chat;
  if ((index + 1) * kBlockSize <= owner.shared_tokens) m_notes[block].shared = true;
  m_pool.release(block, worth_of(block));
}

BlockWorth BlockCache::worth_of(BlockId block) const {
  const Note& note = m_notes[block];
  if (!m_index.contains(block)) return BlockWorth::kNone;
  if (note.pinned) return BlockWorth::kPinned;
  if (note.shared) return BlockWorth::kPersona;
  return m_open_chats.contains(note.chat) ? BlockWorth::kOpenChat : BlockWorth::kChat;
}

void BlockCache::set_chat_open(int64_t chat, bool open) {
  if (chat == 0) return;
  const bool changed = open ? m_open_chats.insert(chat).second : m_open_chats.erase(chat) > 0;
  if (!changed) return;
  // In the order in which they would have been taken, so that tails still go before heads.
  for (const BlockId block : m_pool.free_blocks(open ? BlockWorth::kChat : BlockWorth::kOpenChat)) {
    if (m_notes[block].chat == chat) m_pool.set_worth(block, worth_of(block));
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
  // The blocks before them would be the next to be taken, if it is long since they were used.
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
      block = adopted[i] = take();
      m_index.name(*block, stored.parent, stored.tokens, &stored.key);
    } else {
      break;
    }
    held.push_back(*block);
  }
  for (int i = static_cast<int>(held.size()) - 1; i >= 0; --i) {
    release_block(held[static_cast<size_t>(i)], i, table.owner());
  }
  return adopted;
}

void BlockCache::disown(BlockId block) {
  CHECK(m_pool.ref_count(block) == 0);
  m_index.erase(block);
  m_pool.set_worth(block, BlockWorth::kNone);
}

}  // namespace quire
