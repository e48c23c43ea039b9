#include "engine/cache/prefix_index.h"

#include <algorithm>

namespace quire {

std::optional<BlockId> PrefixIndex::find(const BlockKey& key, const BlockKey& parent,
                                         std::span<const int32_t> tokens) const {
  const auto it = m_blocks.find(key);
  if (it == m_blocks.end()) return std::nullopt;
  const Entry& entry = m_entries[it->second];
  if (entry.parent != parent || !std::ranges::equal(entry.tokens, tokens)) return std::nullopt;
  return it->second;
}

void PrefixIndex::insert(BlockId block, const BlockKey& key, const BlockKey& parent,
                         std::span<const int32_t> tokens) {
  CHECK(tokens.size() == kBlockSize);
  Entry& entry = m_entries.at(block);
  CHECK(!entry.named);
  const bool inserted = m_blocks.emplace(key, block).second;
  CHECK(inserted);
  entry.key = key;
  entry.parent = parent;
  std::ranges::copy(tokens, entry.tokens.begin());
  entry.named = true;
}

void PrefixIndex::erase(BlockId block) {
  Entry& entry = m_entries.at(block);
  if (!entry.named) return;
  m_blocks.erase(entry.key);
  entry.named = false;
}

}  // namespace quire
