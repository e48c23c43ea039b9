#include <algorithm>
#include <utility>

#include "engine/scheduler/scheduler.h"

namespace quire {
namespace {

/// The tokens of the leading full blocks that both tables have.
int common_tokens(const BlockTable& a, const BlockTable& b) {
  const auto end = std::ranges::mismatch(a.keys(), b.keys()).in1;
  return static_cast<int>(end - a.keys().begin()) * kBlockSize;
}

}  // namespace

/// Admits waiting sequences of the levels up to `last`. Privileged ones are one level here: they
/// are in one order. With Whom::kFocused it ends at the first that is not focused.
void Scheduler::admit_waiting(StepPlan& plan, Level last, Whom whom) {
  if (m_preempted) return;
  last = std::max(last, Level::kStarved);
  for (size_t i = 0; i < m_waiting.size();) {
    Sequence& sequence = *m_waiting[i];
    if (level_of(sequence) > last || plan.num_tokens >= m_limits.max_batch_tokens) return;
    if (whom == Whom::kFocused && !sequence.is_focused()) return;
    // A starved one is admitted although none are left for it: others must not bypass it again.
    const bool needs_rows = !is_low(sequence) || !is_privileged(sequence);
    if (needs_rows && rows_left(sequence, plan) <= 0) return;
    if (sequence.awaits_store || waits_for_prefix(sequence)) {
      ++i;
    } else if (has_room_for(sequence)) {
      if (!restore(sequence)) return;  // The rest is restored in the next step.
      const size_t num_running = m_running.size();
      admit(i, plan);
      // It did not fit after all, and was preempted: in this step it would be so again and again.
      if (m_running.size() <= num_running) return;
    } else if (may_preempt_for(sequence)) {
      preempt_last(plan);
    } else {
      return;  // Bounded overtaking: later ones must not use the blocks that this one waits for.
    }
  }
}

/// Whether schedule() could admit a sequence now.
bool Scheduler::can_admit_any() const {
  if (m_waiting.empty()) return false;
  if (static_cast<int>(m_running.size()) < m_limits.max_sequences) return true;
  return std::ranges::any_of(m_waiting, [&](const auto& waiting) {
    return std::ranges::any_of(m_running,
                               [&](const auto& running) { return yields(*running, *waiting); });
  });
}

/// Restores its blocks from host memory, a limited number a step beside running sequences. Returns
/// whether all that fit are restored.
bool Scheduler::restore(Sequence& sequence) {
  const int left = std::max(0, m_limits.max_restored_blocks - m_num_restored);
  const int most = m_running.empty() ? INT_MAX : left;
  const BlockCache::Restored restored = m_cache->restore(sequence.table, most);
  m_num_restored += restored.blocks;
  sequence.num_swapped += restored.blocks * kBlockSize;
  return restored.is_whole;
}

/// Adds the copies to and from host memory that this step made necessary.
void Scheduler::add_copies(StepPlan& plan) {
  const std::vector<BlockCopy> copies = m_cache->take_copies();
  plan.copies.insert(plan.copies.end(), copies.begin(), copies.end());
}

void Scheduler::admit(size_t index, StepPlan& plan) {
  std::unique_ptr<Sequence> admitted = std::move(m_waiting[index]);
  m_waiting.erase(m_waiting.begin() + static_cast<std::ptrdiff_t>(index));
  Sequence& sequence = *admitted;
  mark_longest_waiting(sequence.id);
  const auto place = std::ranges::find_if(
      m_running, [&](const auto& running) { return precedes(sequence, *running); });
  m_running.insert(place, std::move(admitted));
  if (is_low(sequence)) m_low_rows_left = std::max(m_low_rows_left, 1);
  const auto copies = m_cache->match_prefix(sequence.table);
  add_copies(plan);
  plan.copies.insert(plan.copies.end(), copies.begin(), copies.end());
  if (sequence.num_cached < 0) {
    sequence.num_cached = sequence.table.num_computed();
    sequence.num_cut = sequence.table.states().num_cut;
  }
  add_rows(sequence, plan);
}

/// Of the sequences that arrived before the one that is admitted, only the first one counts as
/// bypassed: otherwise all that wait would become privileged at once, and the chat that the user
/// looks at would wait for all of them.
void Scheduler::mark_longest_waiting(SequenceId admitted) {
  Sequence* longest = nullptr;
  for (const auto& other : m_waiting) {
    const bool is_ready = !other->awaits_store && other->awaited == 0;
    if (!is_ready || other->id > admitted) continue;
    if (!longest || other->id < longest->id) longest = other.get();
  }
  if (longest) mark_bypassed(*longest);
}

// There must be blocks for its own tokens, for those that the running sequences still compute, and
// one more for each running sequence to grow, or they would preempt it at once.
bool Scheduler::has_room_for(const Sequence& sequence) const {
  if (m_running.empty()) return true;
  const int most = std::min(m_limits.max_sequences, m_cache->states().max_sequences());
  if (static_cast<int>(m_running.size()) >= most || !has_state_room()) return false;
  int promised = static_cast<int>(m_running.size());
  for (const auto& running : m_running) {
    promised +=
        blocks_for(running->table.num_tokens()) - static_cast<int>(running->table.blocks().size());
  }
  const BlockCache::Match match = m_cache->count_matching(sequence.table);
  const int missing = blocks_for(sequence.table.num_tokens()) - match.blocks;
  return missing + promised <= m_cache->pool().num_free() - match.free_blocks &&
         has_window_room_for(sequence, match);
}

// A new sequence holds two slots for states, the one that it goes on from and its own; each running
// one that has no rows in this step yet allocates another. Drafts and snapshots of this step may
// have left too few: then it is admitted in the next one.
bool Scheduler::has_state_room() const {
  const StateCache& states = m_cache->states();
  if (!states.exists()) return true;
  const auto unplanned = std::ranges::count_if(
      m_running, [&](const auto& running) { return running->last_step != m_num_steps; });
  return states.pool().pool().num_free() >= 2 + unplanned;
}

// The same of slots for window parts, and those of one more step's rows.
bool Scheduler::has_window_room_for(const Sequence& sequence,
                                    const BlockCache::Match& match) const {
  const WindowCache& windows = m_cache->windows();
  if (!windows.exists() || windows.has_slot_for_every_block()) return true;
  int promised = static_cast<int>(m_running.size()) + blocks_for(m_limits.max_batch_tokens);
  for (const auto& running : m_running) promised += missing_windows(*running);
  const int missing = windows.most_held(sequence.table.num_tokens()) - match.window_parts;
  return missing + promised <= windows.num_free() - match.free_window_parts;
}

/// Slots that a running sequence will hold beyond those that it has.
int Scheduler::missing_windows(const Sequence& sequence) const {
  const int most = m_cache->windows().most_held(sequence.table.num_tokens());
  return std::max(0, most - WindowCache::num_held(sequence.table));
}

// Only sequences that yield to it are preempted, and only if that is enough: the remaining ones
// must still have the blocks that has_room_for() reserves.
bool Scheduler::may_preempt_for(const Sequence& sequence) const {
  if (m_running.empty() || !yields(*m_running.back(), sequence)) return false;
  int available = m_cache->pool().num_free();
  int needed = blocks_for(sequence.table.num_tokens());
  for (const auto& running : m_running) {
    const auto& blocks = running->table.blocks();
    if (!yields(*running, sequence)) {
      needed += 1 + blocks_for(running->table.num_tokens()) - static_cast<int>(blocks.size());
    } else {
      available += static_cast<int>(std::ranges::count_if(
          blocks, [&](BlockId block) { return m_cache->pool().ref_count(block) == 1; }));
    }
  }
  return needed <= available && may_preempt_for_windows_of(sequence);
}

bool Scheduler::may_preempt_for_windows_of(const Sequence& sequence) const {
  const WindowCache& windows = m_cache->windows();
  if (!windows.exists() || windows.has_slot_for_every_block()) return true;
  int available = windows.num_free();
  int needed =
      windows.most_held(sequence.table.num_tokens()) + blocks_for(m_limits.max_batch_tokens);
  for (const auto& running : m_running) {
    const auto& slots = running->table.windows().held;
    if (!yields(*running, sequence)) {
      needed += 1 + missing_windows(*running);
    } else {
      available += static_cast<int>(std::ranges::count_if(slots, [&](WindowSlot slot) {
        return slot != 0 && windows.pool().ref_count(slot) == 1;
      }));
    }
  }
  return needed <= available;
}

bool Scheduler::waits_for_prefix(Sequence& sequence) const {
  if (!m_cache->shares_prefixes()) return false;
  if (const Sequence* awaited = sequence.awaited != 0 ? find(sequence.awaited) : nullptr) {
    const int computed = awaited->table.num_computed();
    if (computed > 0 && computed < sequence.awaited_tokens) return true;
  }
  sequence.awaited = 0;
  const auto matched = static_cast<size_t>(m_cache->count_matching(sequence.table).blocks);
  const int matchable = (sequence.table.num_tokens() - 1) / kBlockSize * kBlockSize;
  const auto& keys = sequence.table.keys();
  if (static_cast<int>(matched) * kBlockSize >= matchable) return false;
  for (const auto& running : m_running) {
    const auto& others = running->table.keys();
    if (matched >= others.size() || others[matched] != keys[matched]) continue;
    const int common = std::min(common_tokens(running->table, sequence.table), matchable);
    if (running->table.num_computed() >= common) continue;
    sequence.awaited = running->id;
    sequence.awaited_tokens = common;
    m_cache->want_resume_point(running->table, common);
    return true;
  }
  return false;
}

}  // namespace quire
