#include "engine/cache/named_pool.h"

#include <utility>

namespace quire {

std::optional<BlockId> NamedPool::find(const BlockTable& table, int index) const {
  if (index >= static_cast<int>(table.keys().size())) return std::nullopt;
  return m_index.find(table.keys()[size_t(index)], table.parent_key(index),
                      table.block_tokens(index));
}

void NamedPool::name(BlockId id, const BlockTable& table, int index) {
  m_index.name(id, table.parent_key(index), table.block_tokens(index),
               &table.keys()[size_t(index)]);
}

void NamedPool::release(BlockId id, int index, const BlockOwner& owner) {
  Note& note = m_notes[size_t(id)];
  note.last_use = {owner.chat, index};
  if ((index + 1) * kBlockSize <= owner.shared_tokens) note.shared = true;
  release(id);
}

void NamedPool::release_all(std::span<const BlockId> ids, const BlockOwner& owner) {
  for (int i = static_cast<int>(ids.size()) - 1; i >= 0; --i) release(ids[size_t(i)], i, owner);
}

BlockWorth NamedPool::worth_of(BlockId id) const {
  const Note& note = m_notes[size_t(id)];
  if (!m_index.contains(id)) return BlockWorth::kNone;
  if (note.pinned) return BlockWorth::kPinned;
  if (note.shared) return BlockWorth::kPersona;
  const bool is_open = !note.minor && m_open_chats.contains(note.last_use.chat);
  return is_open ? BlockWorth::kOpenChat : BlockWorth::kChat;
}

void NamedPool::forget(BlockId id) {
  m_index.erase(id);
  if (m_pool.ref_count(id) == 0) m_pool.set_worth(id, BlockWorth::kNone);
}

void NamedPool::forget_all() {
  CHECK(m_pool.num_free() == m_pool.size());
  for (BlockId id = 0; id < m_pool.size(); ++id) {
    if (m_index.contains(id)) forget(id);
  }
}

void NamedPool::set_chat_open(int64_t chat, bool open) {
  if (chat == 0) return;
  const bool changed = open ? m_open_chats.insert(chat).second : m_open_chats.erase(chat) > 0;
  if (!changed) return;
  // In the order of eviction, so that tails are still evicted before heads.
  for (const BlockId id : m_pool.free_blocks(open ? BlockWorth::kChat : BlockWorth::kOpenChat)) {
    if (m_notes[size_t(id)].last_use.chat == chat) m_pool.set_worth(id, worth_of(id));
  }
}

void NamedPool::set_pinned(BlockId id, bool pinned) {
  m_notes[size_t(id)].pinned = pinned;
  if (m_pool.ref_count(id) == 0) m_pool.set_worth(id, worth_of(id));
}

void NamedPool::reset(int size) {
  auto open_chats = std::move(m_open_chats);
  *this = NamedPool(size);
  m_open_chats = std::move(open_chats);
}

}  // namespace quire
