#include "engine/cache/block_pool.h"

#include "kernels/base/check.h"

namespace quire {

BlockPool::BlockPool(int num_blocks) : m_nodes(num_blocks + 1) {
  CHECK(num_blocks > 0);
  const int32_t anchor = num_blocks;
  m_nodes[anchor] = {anchor, anchor, -1};
  for (int32_t i = 0; i < num_blocks; ++i) link_between(i, m_nodes[anchor].previous, anchor);
}

std::optional<BlockId> BlockPool::take() {
  if (m_num_free == 0) return std::nullopt;
  const BlockId block = m_nodes.back().next;
  retain(block);
  return block;
}

void BlockPool::retain(BlockId block) {
  CHECK(block >= 0 && block < size());
  if (m_nodes[block].ref_count++ == 0) unlink(block);
}

void BlockPool::release(BlockId block, OnFree on_free) {
  CHECK(block >= 0 && block < size());
  CHECK(m_nodes[block].ref_count > 0);
  if (--m_nodes[block].ref_count > 0) return;
  const int32_t anchor = size();
  if (on_free == OnFree::kReuseFirst) {
    link_between(block, anchor, m_nodes[anchor].next);
  } else {
    link_between(block, m_nodes[anchor].previous, anchor);
  }
}

void BlockPool::unlink(int32_t node) {
  m_nodes[m_nodes[node].previous].next = m_nodes[node].next;
  m_nodes[m_nodes[node].next].previous = m_nodes[node].previous;
  --m_num_free;
}

void BlockPool::link_between(int32_t node, int32_t previous, int32_t next) {
  m_nodes[node].previous = previous;
  m_nodes[node].next = next;
  m_nodes[previous].next = node;
  m_nodes[next].previous = node;
  ++m_num_free;
}

}  // namespace quire
