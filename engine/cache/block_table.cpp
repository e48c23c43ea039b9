#include "engine/cache/block_table.h"

#include <utility>

namespace quire {

BlockTable::BlockTable(const BlockKey& root, std::vector<int32_t> tokens, const BlockOwner& owner)
    : m_root(root), m_owner(owner), m_tokens(std::move(tokens)) {
  m_states.num_prompt = num_tokens();
  extend_keys();
}

void BlockTable::append(int32_t token) {
  m_tokens.push_back(token);
  extend_keys();
}

std::span<const int32_t> BlockTable::block_tokens(int index) const {
  return std::span(m_tokens).subspan(size_t{kBlockSize} * index, kBlockSize);
}

int32_t BlockTable::slot(int position) const {
  return m_blocks.at(position / kBlockSize) * kBlockSize + position % kBlockSize;
}

int32_t BlockTable::window_slot(int position) const {
  return m_windows.held.at(static_cast<size_t>(position / kBlockSize)) * kBlockSize +
         position % kBlockSize;
}

void BlockTable::extend_keys() {
  while ((m_keys.size() + 1) * kBlockSize <= m_tokens.size()) {
    const int index = static_cast<int>(m_keys.size());
    m_keys.push_back(child_key(parent_key(index), block_tokens(index)));
  }
}

}  // namespace quire
