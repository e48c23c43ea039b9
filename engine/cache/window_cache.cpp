#include "engine/cache/window_cache.h"

#include <utility>

namespace quire {

WindowCache::WindowCache(const WindowCacheSizes& sizes, int num_blocks)
    : m_sizes(sizes),
      m_pool(sizes.num_slots),
      m_notes(size_t(sizes.num_slots)),
      m_slot_of(exists() ? size_t(num_blocks) : 0, kNone) {
  CHECK(sizes.num_slots == 0 || (sizes.num_slots > 1 && sizes.window > 0));
  if (exists()) CHECK(m_pool.allocate() == kNone);
}

int WindowCache::num_cached() const {
  int count = 0;
  for (size_t slot = 1; slot < m_notes.size(); ++slot) {
    count += m_notes[slot].block >= 0 && m_pool.ref_count(static_cast<WindowSlot>(slot)) == 0;
  }
  return count;
}

std::optional<WindowSlot> WindowCache::find(BlockId block) const {
  if (!exists() || m_slot_of[size_t(block)] == kNone) return std::nullopt;
  return m_slot_of[size_t(block)];
}

void WindowCache::resume(BlockTable& table) {
  if (!exists()) return;
  SequenceWindows& windows = table.m_windows;
  CHECK(windows.held.empty());
  windows.held.assign(table.m_blocks.size(), kNone);
  windows.first =
      std::min(first_needed(table.num_computed()), static_cast<int>(table.m_blocks.size()));
  for (size_t i = size_t(windows.first); i < table.m_blocks.size(); ++i) {
    windows.held[i] = m_slot_of[size_t(table.m_blocks[i])];
    CHECK(windows.held[i] != kNone);
    m_pool.retain(windows.held[i]);
  }
}

void WindowCache::shrink(BlockTable& table) {
  if (!exists()) return;
  const WindowSlot slot = table.m_windows.held.back();
  table.m_windows.held.pop_back();
  detach(slot);
  m_pool.release(slot, BlockWorth::kNone);
}

void WindowCache::share(BlockTable& table, int index, BlockId known) {
  if (!exists()) return;
  WindowSlot& slot = table.m_windows.held[size_t(index)];
  CHECK(slot != kNone && m_pool.ref_count(slot) == 1);
  const WindowSlot of_known = m_slot_of[size_t(known)];
  const BlockId own = m_notes[size_t(slot)].block;
  if (of_known == kNone) {
    m_notes[size_t(slot)].block = known;
    m_slot_of[size_t(known)] = slot;
    m_slot_of[size_t(own)] = kNone;
    return;
  }
  m_pool.retain(of_known);
  detach(slot);
  m_pool.release(slot, BlockWorth::kNone);
  slot = of_known;
}

void WindowCache::want(BlockTable& table, int position) const {
  if (exists()) table.m_windows.wanted.insert(position);
}

void WindowCache::drop(BlockId block) {
  if (!exists()) return;
  const WindowSlot slot = m_slot_of[size_t(block)];
  if (slot == kNone) return;
  detach(slot);
  update_worth(slot);
}

void WindowCache::release(WindowSlot slot, int index, const BlockOwner& owner) {
  Note& note = m_notes[size_t(slot)];
  note.chat = owner.chat;
  if (is_in_window_of(index, owner.shared_tokens)) {
    note.kept = true;
    // The block that the persona ends in is each chat's own.
    note.shared = note.shared || (index + 1) * kBlockSize <= owner.shared_tokens;
  }
  m_pool.release(slot, worth_of(slot));
}

/// Whether a row at `position` or before it in the same block sees the block.
bool WindowCache::is_in_window_of(int index, int position) const {
  if (position <= 0 || index * kBlockSize >= position) return false;
  return index >= first_needed(position - 1);
}

bool WindowCache::is_before_resume_point(const BlockTable& table, int index) const {
  if (is_in_window_of(index, table.states().num_prompt)) return true;
  return std::ranges::any_of(table.m_windows.wanted,
                             [&](int position) { return is_in_window_of(index, position); });
}

BlockWorth WindowCache::worth_of(WindowSlot slot) const {
  const Note& note = m_notes[size_t(slot)];
  if (note.block < 0) return BlockWorth::kNone;
  if (note.pinned) return BlockWorth::kPinned;
  if (!note.kept) return BlockWorth::kMinor;
  if (note.shared) return BlockWorth::kPersona;
  return m_open_chats.contains(note.chat) ? BlockWorth::kOpenChat : BlockWorth::kChat;
}

void WindowCache::update_worth(WindowSlot slot) {
  if (m_pool.ref_count(slot) == 0) m_pool.set_worth(slot, worth_of(slot));
}

void WindowCache::detach(WindowSlot slot) {
  Note& note = m_notes[size_t(slot)];
  if (note.block >= 0) m_slot_of[size_t(note.block)] = kNone;
  note = {};
}

void WindowCache::set_chat_open(int64_t chat, bool open) {
  if (chat == 0) return;
  const bool changed = open ? m_open_chats.insert(chat).second : m_open_chats.erase(chat) > 0;
  if (!changed) return;
  // In the order of eviction, so that the first parts of a window still go first.
  for (const WindowSlot slot :
       m_pool.free_blocks(open ? BlockWorth::kChat : BlockWorth::kOpenChat)) {
    if (m_notes[size_t(slot)].chat == chat) update_worth(slot);
  }
}

void WindowCache::set_pinned(BlockId block, bool pinned) {
  const auto slot = find(block);
  if (!slot || m_notes[size_t(*slot)].pinned == pinned) return;
  m_notes[size_t(*slot)].pinned = pinned;
  update_worth(*slot);
}

void WindowCache::forget_all() {
  for (size_t block = 0; block < m_slot_of.size(); ++block) drop(static_cast<BlockId>(block));
}

void WindowCache::reset(const WindowCacheSizes& sizes, int num_blocks) {
  auto open_chats = std::move(m_open_chats);
  *this = WindowCache(sizes, num_blocks);
  m_open_chats = std::move(open_chats);
}

}  // namespace quire
