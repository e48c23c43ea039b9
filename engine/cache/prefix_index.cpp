#include "engine/cache/prefix_index.h"

#include <algorithm>

namespace quire {

// Reserved, so that no step pays for rehashing.
PrefixIndex::PrefixIndex(int num_blocks) : m_entries(num_blocks) {
  m_full.reserve(static_cast<size_t>(num_blocks));
  m_first_child.reserve(static_cast<size_t>(num_blocks));
}

std::optional<BlockId> PrefixIndex::find(const BlockKey& key, const BlockKey& parent,
                                         std::span<const int32_t> tokens) const {
  const auto it = m_full.find(key);
  if (it == m_full.end()) return std::nullopt;
  const Entry& entry = m_entries[it->second];
  if (entry.parent != parent || !std::ranges::equal(entry.tokens, tokens)) return std::nullopt;
  return it->second;
}

PrefixIndex::Tail PrefixIndex::find_tail(const BlockKey& parent,
                                         std::span<const int32_t> tokens) const {
  Tail best;
  const auto it = m_first_child.find(parent);
  BlockId block = it == m_first_child.end() ? kNoBlock : it->second;
  for (; block != kNoBlock; block = m_entries[block].next) {
    const Entry& entry = m_entries[block];
    const auto held = std::span(entry.tokens).first(entry.num_tokens);
    const auto end = std::ranges::mismatch(held, tokens).in1;
    const int common = static_cast<int>(end - held.begin());
    if (common > best.num_tokens) best = {block, common};
  }
  return best;
}

void PrefixIndex::name(BlockId block, const BlockKey& parent, std::span<const int32_t> tokens,
                       const BlockKey* key) {
  Entry& entry = m_entries.at(block);
  const bool is_full = tokens.size() == kBlockSize;
  CHECK(!tokens.empty() && tokens.size() <= kBlockSize && is_full == (key != nullptr));
  CHECK(entry.num_tokens < kBlockSize);
  if (entry.num_tokens == 0) {
    entry.parent = parent;
    add_child(block);
  }
  std::ranges::copy(tokens, entry.tokens.begin());
  entry.num_tokens = static_cast<int>(tokens.size());
  if (!is_full) return;
  entry.key = *key;
  const bool inserted = m_full.emplace(*key, block).second;
  CHECK(inserted);
}

void PrefixIndex::erase(BlockId block) {
  Entry& entry = m_entries.at(block);
  if (entry.num_tokens == 0) return;
  if (entry.num_tokens == kBlockSize) m_full.erase(entry.key);
  remove_child(block);
  entry.num_tokens = 0;
}

void PrefixIndex::add_child(BlockId block) {
  Entry& entry = m_entries[block];
  const auto [it, is_only] = m_first_child.emplace(entry.parent, block);
  entry.previous = kNoBlock;
  entry.next = is_only ? kNoBlock : it->second;
  if (is_only) return;
  m_entries[it->second].previous = block;
  it->second = block;
}

void PrefixIndex::remove_child(BlockId block) {
  const Entry& entry = m_entries[block];
  if (entry.next != kNoBlock) m_entries[entry.next].previous = entry.previous;
  if (entry.previous != kNoBlock) {
    m_entries[entry.previous].next = entry.next;
  } else if (entry.next != kNoBlock) {
    m_first_child.at(entry.parent) = entry.next;
  } else {
    m_first_child.erase(entry.parent);
  }
}

}  // namespace quire
