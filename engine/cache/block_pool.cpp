#include "engine/cache/block_pool.h"

#include "kernels/base/check.h"

namespace quire {

BlockPool::BlockPool(int num_blocks) : m_nodes(num_blocks + kNumBlockWorths) {
  CHECK(num_blocks >= 0);
  for (int32_t i = num_blocks; i < num_blocks + kNumBlockWorths; ++i) {
    m_nodes[i] = {.previous = i, .next = i, .ref_count = -1};
  }
  // Each is linked before the last one: the first block is the first to be allocated.
  for (int32_t i = num_blocks - 1; i >= 0; --i) link(i, BlockWorth::kNone);
}

std::optional<BlockId> BlockPool::allocate() {
  if (m_num_free == 0) return std::nullopt;
  constexpr auto kPersona = static_cast<size_t>(BlockWorth::kPersona);
  size_t worth = 0;
  while (m_num_of[worth] == 0) ++worth;
  if (worth > static_cast<size_t>(BlockWorth::kMinor) && m_num_of[kPersona] > size() / 2)
    worth = kPersona;
  const BlockId block = m_nodes[anchor(static_cast<BlockWorth>(worth))].next;
  retain(block);
  return block;
}

void BlockPool::retain(BlockId block) {
  CHECK(block >= 0 && block < size());
  if (m_nodes[block].ref_count++ == 0) unlink(block);
}

void BlockPool::release(BlockId block, BlockWorth worth) {
  CHECK(block >= 0 && block < size());
  CHECK(m_nodes[block].ref_count > 0);
  if (--m_nodes[block].ref_count == 0) link(block, worth);
}

void BlockPool::set_worth(BlockId block, BlockWorth worth) {
  CHECK(block >= 0 && block < size());
  CHECK(m_nodes[block].ref_count == 0);
  unlink(block);
  link(block, worth);
}

std::vector<BlockId> BlockPool::free_blocks(BlockWorth worth) const {
  std::vector<BlockId> blocks;
  const int32_t end = anchor(worth);
  for (int32_t i = m_nodes[end].next; i != end; i = m_nodes[i].next) blocks.push_back(i);
  return blocks;
}

void BlockPool::unlink(int32_t node) {
  const Node& unlinked = m_nodes[node];
  m_nodes[unlinked.previous].next = unlinked.next;
  m_nodes[unlinked.next].previous = unlinked.previous;
  --m_num_of[static_cast<size_t>(unlinked.worth)];
  --m_num_free;
}

void BlockPool::link(int32_t node, BlockWorth worth) {
  const int32_t end = anchor(worth);
  const bool goes_first = worth == BlockWorth::kNone;
  const int32_t previous = goes_first ? end : m_nodes[end].previous;
  const int32_t next = m_nodes[previous].next;
  m_nodes[node].previous = previous;
  m_nodes[node].next = next;
  m_nodes[node].worth = worth;
  m_nodes[previous].next = node;
  m_nodes[next].previous = node;
  ++m_num_of[static_cast<size_t>(worth)];
  ++m_num_free;
}

}  // namespace quire
