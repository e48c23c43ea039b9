#include "engine/cache/state_cache.h"

#include <algorithm>
#include <utility>

namespace quire {
namespace {

/// The last end of a block at or before `tokens`.
int block_end(int tokens) {
  return tokens / kBlockSize * kBlockSize;
}

}  // namespace

StateCache::StateCache(const StateCacheSizes& sizes, bool share_prefixes)
    : m_sizes(sizes), m_share_prefixes(share_prefixes), m_slots(sizes.num_slots) {
  CHECK(sizes.num_slots == 0 || sizes.num_slots >= StateCacheSizes::kLeastSlots);
  CHECK(sizes.stride >= 0 && sizes.stride % kBlockSize == 0);
}

int StateCache::last_resume(const BlockTable& table, int num_blocks) const {
  if (!exists()) return num_blocks;
  while (num_blocks > 0 && !m_slots.find(table, num_blocks - 1)) --num_blocks;
  return num_blocks;
}

void StateCache::resume(BlockTable& table, int num_blocks, int num_matched) {
  if (!exists()) return;
  SequenceStates& states = table.m_states;
  CHECK(states.slot < 0 && states.pending.empty());
  states.position = num_blocks * kBlockSize;
  states.num_cut = (num_matched - num_blocks) * kBlockSize;
  if (num_blocks > 0) {
    states.slot = *m_slots.find(table, num_blocks - 1);
    m_slots.retain(states.slot);
  }
  if (states.num_cut > 0) want_snapshot(table, num_matched * kBlockSize);
}

void StateCache::want_snapshot(BlockTable& table, int position) const {
  if (exists()) table.m_states.wanted.insert(position);
}

/// Whether a state at that position is worth keeping.
StateCache::Keep StateCache::keep_at(const BlockTable& table, int position) const {
  if (!m_share_prefixes || position <= 0 || position % kBlockSize != 0) return Keep::kNo;
  const SequenceStates& states = table.m_states;
  if (position == block_end(table.owner().shared_tokens)) return Keep::kYes;
  if (position == block_end(states.num_prompt - 1)) return Keep::kYes;
  if (states.wanted.contains(position)) return Keep::kMinor;
  if (m_sizes.stride > 0 && position % m_sizes.stride == 0) return Keep::kMinor;
  return position > states.num_prompt ? Keep::kRolling : Keep::kNo;
}

StateRows StateCache::plan(BlockTable& table, int begin, int count) {
  StateRows rows;
  if (!exists()) return rows;
  SequenceStates& states = table.m_states;
  CHECK(states.position == begin && count > 0);
  const int end = begin + count;
  rows.in = states.slot;
  // The slot stays as it is where it is a snapshot, or becomes one.
  const bool is_frozen =
      states.slot >= 0 && (is_snapshot(states.slot) || m_slots.pool().ref_count(states.slot) > 1 ||
                           keep_at(table, begin) != Keep::kNo);
  if (is_frozen) states.pending.push_back({begin, std::exchange(states.slot, -1)});
  for (int at = block_end(begin) + kBlockSize; at < end; at += kBlockSize) {
    if (keep_at(table, at) == Keep::kNo || m_slots.find(table, at / kBlockSize - 1)) continue;
    if (!has_spare()) break;
    rows.segments.push_back({at, allocate()});
    states.pending.push_back({at, rows.segments.back().out});
  }
  if (states.slot < 0) states.slot = allocate();
  states.position = end;
  rows.segments.push_back({end, states.slot});
  return rows;
}

int StateCache::plan_drafts(BlockTable& table, int count, StateRows& rows) {
  if (!exists()) return count;
  SequenceStates& states = table.m_states;
  CHECK(states.drafted.empty());
  while (std::ssize(states.drafted) < count && has_spare()) {
    const int end = states.position + static_cast<int>(states.drafted.size()) + 1;
    states.drafted.push_back({end, allocate()});
    rows.segments.push_back({end, states.drafted.back().slot});
  }
  return static_cast<int>(states.drafted.size());
}

void StateCache::drop_drafts(BlockTable& table) {
  for (const SequenceStates::Snapshot& state : table.m_states.drafted) m_slots.release(state.slot);
  table.m_states.drafted.clear();
}

void StateCache::accept_draft(BlockTable& table) {
  SequenceStates& states = table.m_states;
  CHECK(!states.drafted.empty() && states.drafted.front().position == table.num_computed());
  release(table, states.position, states.slot);
  states.position = states.drafted.front().position;
  states.slot = states.drafted.front().slot;
  states.drafted.erase(states.drafted.begin());
}

StateSlot StateCache::allocate() {
  return m_slots.allocate([](StateSlot) {});
}

void StateCache::mark_computed(BlockTable& table) {
  SequenceStates& states = table.m_states;
  const int computed = table.num_computed();
  if (exists() && computed > states.position) accept_draft(table);
  size_t kept = 0;
  for (const SequenceStates::Snapshot& snapshot : states.pending) {
    if (snapshot.position <= computed) {
      name(table, snapshot.position, snapshot.slot);
      release(table, snapshot.position, snapshot.slot);
    } else {
      states.pending[kept++] = snapshot;
    }
  }
  states.pending.resize(kept);
  if (states.slot >= 0 && states.position == computed) name(table, computed, states.slot);
}

/// Makes a state of the table a snapshot, if it is worth it and there is none of that name.
void StateCache::name(BlockTable& table, int position, StateSlot slot) {
  const Keep keep = keep_at(table, position);
  const int index = position / kBlockSize - 1;
  if (keep == Keep::kNo || is_snapshot(slot) || m_slots.find(table, index)) return;
  m_slots.name(slot, table, index);
  if (keep == Keep::kMinor) m_slots.set_minor(slot);
  if (keep == Keep::kRolling) replace_rolling(table, position);
}

void StateCache::release(BlockTable& table, int position, StateSlot slot) {
  if (!is_snapshot(slot)) return m_slots.release(slot);
  m_slots.release(slot, position / kBlockSize - 1, table.owner());
}

/// Drops the answer's previous snapshot, unless a sequence is using it.
void StateCache::replace_rolling(BlockTable& table, int position) {
  const int last = std::exchange(table.m_states.rolling, position);
  const bool is_replaced = last > 0 && keep_at(table, last) == Keep::kRolling;
  const auto slot = is_replaced ? m_slots.find(table, last / kBlockSize - 1) : std::nullopt;
  if (slot && m_slots.pool().ref_count(*slot) == 0) m_slots.forget(*slot);
}

void StateCache::release(BlockTable& table) {
  SequenceStates& states = table.m_states;
  drop_drafts(table);
  mark_computed(table);
  // What is left was planned and not computed: nothing in it has a name.
  for (const SequenceStates::Snapshot& snapshot : states.pending) m_slots.release(snapshot.slot);
  if (states.slot >= 0) release(table, states.position, states.slot);
  states.pending.clear();
  states.slot = -1;
  states.position = 0;
  states.rolling = 0;
}

void StateCache::drop(const PrefixIndex::Name& name) {
  if (!exists()) return;
  const auto slot = m_slots.index().find(name.key, name.parent, name.tokens);
  if (slot && m_slots.pool().ref_count(*slot) == 0) m_slots.forget(*slot);
}

std::optional<StateSlot> StateCache::adopt(const BlockTable& table, int index) {
  if (!exists() || m_slots.find(table, index) || !has_spare()) return std::nullopt;
  const StateSlot slot = allocate();
  m_slots.name(slot, table, index);
  m_slots.release(slot, index, table.owner());
  return slot;
}

void StateCache::set_pinned(const BlockTable& table, int num_blocks, bool pinned) {
  for (int i = num_blocks - 1; i >= 0; --i) {
    if (const auto slot = m_slots.find(table, i)) m_slots.set_pinned(*slot, pinned);
  }
}

void StateCache::reset(const StateCacheSizes& sizes) {
  m_sizes = sizes;
  m_slots.reset(sizes.num_slots);
}

}  // namespace quire
