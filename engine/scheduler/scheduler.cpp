#include "engine/scheduler/scheduler.h"

#include <algorithm>
#include <utility>

namespace quire {
namespace {

/// The tokens of the leading full blocks that both tables have.
int common_tokens(const BlockTable& a, const BlockTable& b) {
  const auto end = std::ranges::mismatch(a.keys(), b.keys()).in1;
  return static_cast<int>(end - a.keys().begin()) * kBlockSize;
}

void append_rows(ForwardBatch& batch, const ScheduledRows& rows) {
  const BlockTable& table = rows.sequence->table;
  for (int position = rows.begin; position < rows.begin + rows.count; ++position) {
    if (position < table.num_tokens()) {
      batch.ids.push_back(table.tokens()[position]);
    } else if (rows.num_drafts > 0) {
      batch.ids.push_back(rows.sequence->drafts[size_t(position - table.num_tokens())]);
    } else {
      batch.ids.push_back(0);  // In a step that follows another one only the device knows it.
    }
    batch.positions.push_back(position);
    batch.slot_mapping.push_back(table.slot(position));
    if (!table.windows().held.empty()) {
      batch.window_slots.push_back(table.window_slot(position));
    }
  }
  batch.query_start.push_back(batch.num_tokens());
  batch.context_len.push_back(rows.begin + rows.count);
  for (int i = rows.num_logits(); i > 0; --i) {
    batch.logits_rows.push_back(batch.num_tokens() - i);
  }
}

void append_states(ForwardBatch& batch, const ScheduledRows& rows) {
  if (rows.states.segments.empty()) return;
  if (batch.segment_start.empty()) batch.segment_start.push_back(0);
  const int first_row = batch.query_start[batch.query_start.size() - 2];
  for (const StateRows::Segment& segment : rows.states.segments) {
    batch.segment_end.push_back(first_row + segment.end - rows.begin);
    batch.states_out.push_back(segment.out);
  }
  batch.states_in.push_back(rows.states.in);
  batch.segment_start.push_back(static_cast<int32_t>(batch.segment_end.size()));
}

}  // namespace

ForwardBatch make_forward_batch(const StepPlan& plan) {
  ForwardBatch batch;
  const bool has_adapters = std::ranges::any_of(
      plan.rows, [](const ScheduledRows& rows) { return rows.sequence->adapter != 0; });
  for (const ScheduledRows& rows : plan.rows) {
    if (has_adapters) batch.adapters.push_back(rows.sequence->adapter);
    batch.sequences.push_back(rows.sequence->id);
    append_rows(batch, rows);
    append_states(batch, rows);
    batch.max_blocks = std::max(batch.max_blocks, blocks_for(rows.begin + rows.count));
  }
  batch.block_tables.assign(plan.rows.size() * batch.max_blocks, 0);
  for (size_t s = 0; s < plan.rows.size(); ++s) {
    const auto& blocks = plan.rows[s].sequence->table.blocks();
    const size_t used = blocks_for(batch.context_len[s]);
    std::copy_n(blocks.begin(), used, batch.block_tables.begin() + s * batch.max_blocks);
    if (!batch.has_windows()) continue;
    batch.window_tables.resize(batch.block_tables.size(), 0);
    const auto& slots = plan.rows[s].sequence->table.windows().held;
    std::copy_n(slots.begin(), used, batch.window_tables.begin() + s * batch.max_blocks);
  }
  return batch;
}

Scheduler::Scheduler(BlockCache& cache, const SchedulerLimits& limits)
    : m_cache(&cache), m_limits(limits) {
  CHECK(limits.max_sequences > 0 && limits.max_batch_tokens >= limits.max_sequences &&
        limits.max_logits >= limits.max_sequences);
}

Sequence* Scheduler::add(std::unique_ptr<Sequence> sequence) {
  CHECK(sequence->table.num_tokens() > 0);
  CHECK(blocks_for(sequence->table.num_tokens()) <= m_cache->pool().size());
  m_waiting.push_back(std::move(sequence));
  return m_waiting.back().get();
}

void Scheduler::remove(SequenceId id) {
  for (Queue* queue : {&m_running, &m_waiting}) {
    const auto it = std::ranges::find(*queue, id, &Sequence::id);
    if (it == queue->end()) continue;
    m_cache->release((*it)->table);
    queue->erase(it);
    return;
  }
}

Sequence* Scheduler::find(SequenceId id) const {
  for (const Queue* queue : {&m_running, &m_waiting}) {
    const auto it = std::ranges::find(*queue, id, &Sequence::id);
    if (it != queue->end()) return it->get();
  }
  return nullptr;
}

StepPlan Scheduler::schedule() {
  StepPlan plan;
  m_preempted = false;
  m_num_restored = 0;
  ++m_num_steps;
  sort(m_running);
  sort(m_waiting);
  schedule_running(plan, Rows::kDecodes);
  add_drafts(plan);
  if (m_num_steps % kShareSteps == 0) {
    schedule_running(plan, Rows::kOtherPrefills);
    admit_waiting(plan, /*only_privileged=*/false);
    schedule_running(plan, Rows::kPrivilegedPrefills);
  } else {
    schedule_running(plan, Rows::kPrivilegedPrefills);
    admit_waiting(plan, /*only_privileged=*/true);
    schedule_running(plan, Rows::kOtherPrefills);
    admit_waiting(plan, /*only_privileged=*/false);
  }
  add_copies(plan);
  return plan;
}

std::optional<StepPlan> Scheduler::follow(const StepPlan& plan) {
  if (!m_waiting.empty() || plan.rows.size() != m_running.size()) return std::nullopt;
  StepPlan next;
  for (const ScheduledRows& rows : plan.rows) {
    Sequence& sequence = *rows.sequence;
    const int begin = rows.begin + rows.count;
    CHECK(rows.samples && begin == sequence.table.num_tokens());
    // If the step is not run after all, the next one uses the block.
    if (!m_cache->reserve(sequence.table, begin + 1)) return std::nullopt;
    next.rows.push_back({&sequence, begin, 1, true});
    ++next.num_tokens;
  }
  for (ScheduledRows& rows : next.rows) plan_states(rows);
  add_copies(next);
  return next;
}

void Scheduler::preempt_all() {
  for (auto& sequence : m_running) {
    m_cache->release(sequence->table);
    m_waiting.push_back(std::move(sequence));
  }
  m_running.clear();
}

void Scheduler::rename(const std::function<BlockKey(int adapter)>& root_of) {
  CHECK(m_running.empty());
  for (auto& sequence : m_waiting) {
    const BlockKey root = root_of(sequence->adapter);
    sequence->table = BlockTable(root, sequence->table.tokens(), sequence->table.owner());
    sequence->awaits_store = false;
  }
}

void Scheduler::mark_computed(const ScheduledRows& rows) {
  m_cache->mark_computed(rows.sequence->table, rows.end_of_known());
  rows.sequence->num_rows += rows.count;
}

void Scheduler::accept_draft(Sequence& sequence) {
  m_cache->mark_computed(sequence.table, sequence.table.num_computed() + 1);
}

void Scheduler::drop_drafts(Sequence& sequence) {
  sequence.drafts.clear();
  m_cache->drop_drafts(sequence.table);
}

bool Scheduler::is_privileged(const Sequence& sequence) {
  return sequence.is_focused() || sequence.num_bypassed >= kStarvationBound;
}

bool Scheduler::precedes(const Sequence& a, const Sequence& b) {
  return is_privileged(a) != is_privileged(b) ? is_privileged(a) : a.id < b.id;
}

void Scheduler::sort(Queue& queue) {
  std::ranges::sort(queue, [](const auto& a, const auto& b) { return precedes(*a, *b); });
}

// A sequence that is preempted in this loop was at the end of m_running: at index i or later.
void Scheduler::schedule_running(StepPlan& plan, Rows which) {
  for (size_t i = 0; i < m_running.size(); ++i) {
    Sequence& sequence = *m_running[i];
    const Rows prefills =
        is_privileged(sequence) ? Rows::kPrivilegedPrefills : Rows::kOtherPrefills;
    const bool decodes = sequence.table.num_uncomputed() == 1;
    if (sequence.last_step == m_num_steps) continue;  // Admitted in this step.
    if ((decodes ? Rows::kDecodes : prefills) == which) add_rows(sequence, plan);
  }
}

void Scheduler::add_rows(Sequence& sequence, StepPlan& plan) {
  const BlockTable& table = sequence.table;
  const int count = std::min(table.num_uncomputed(), m_limits.max_batch_tokens - plan.num_tokens);
  if (count <= 0) return;
  const int begin = table.num_computed();
  if (!make_room(sequence, begin + count, plan)) return;
  plan.rows.push_back({&sequence, begin, count, begin + count == table.num_tokens()});
  plan_states(plan.rows.back());
  plan.num_tokens += count;
  sequence.last_step = m_num_steps;
}

/// Every decode has its row already. A draft without a row, a block or a slot for its state is left
/// out, with those after it. Each sequence may sample in this step, those that wait as well.
void Scheduler::add_drafts(StepPlan& plan) {
  const auto sequences = static_cast<int>(m_running.size() + m_waiting.size());
  int most = std::min(m_limits.max_batch_tokens - plan.num_tokens,
                      m_limits.max_logits - std::min(sequences, m_limits.max_sequences));
  for (ScheduledRows& rows : plan.rows) {
    Sequence& sequence = *rows.sequence;
    int count = std::min(static_cast<int>(sequence.drafts.size()), most);
    const int end = rows.begin + rows.count;
    while (count > 0 && !m_cache->reserve(sequence.table, end + count)) --count;
    count = m_cache->plan_draft_states(sequence.table, count, rows.states);
    rows.num_drafts = count;
    rows.count += count;
    plan.num_tokens += count;
    most -= count;
  }
}

void Scheduler::plan_states(ScheduledRows& rows) {
  rows.states = m_cache->plan_states(rows.sequence->table, rows.begin, rows.count);
}

bool Scheduler::make_room(Sequence& sequence, int num_tokens, StepPlan& plan) {
  while (!m_cache->reserve(sequence.table, num_tokens)) {
    if (m_running.size() == 1) {
      plan.exhausted.push_back(sequence.id);
      return false;
    }
    const bool is_last = m_running.back().get() == &sequence;
    preempt_last(plan);
    if (is_last) return false;
  }
  return true;
}

void Scheduler::preempt_last(StepPlan& plan) {
  std::unique_ptr<Sequence> sequence = std::move(m_running.back());
  m_running.pop_back();
  std::erase_if(plan.rows, [&](const ScheduledRows& rows) {
    if (rows.sequence != sequence.get()) return false;
    plan.num_tokens -= rows.count;
    return true;
  });
  m_cache->release(sequence->table);
  ++sequence->num_preemptions;
  const bool is_bypassed =
      std::ranges::any_of(m_running, [&](const auto& other) { return other->id > sequence->id; });
  if (is_bypassed) mark_bypassed(*sequence);
  m_preempted = true;
  m_waiting.push_back(std::move(sequence));
}

void Scheduler::mark_bypassed(Sequence& sequence) const {
  if (std::exchange(sequence.last_bypassed_step, m_num_steps) == m_num_steps) return;
  ++sequence.num_bypassed;
}

void Scheduler::admit_waiting(StepPlan& plan, bool only_privileged) {
  if (m_preempted) return;
  for (size_t i = 0; i < m_waiting.size();) {
    Sequence& sequence = *m_waiting[i];
    if (plan.num_tokens >= m_limits.max_batch_tokens) return;
    if (only_privileged && !is_privileged(sequence)) return;
    if (sequence.awaits_store || waits_for_prefix(sequence)) {
      ++i;
    } else if (has_room_for(sequence)) {
      if (!restore(sequence)) return;  // The rest is restored in the next step.
      admit(i, plan);
    } else if (sequence.is_focused() && may_preempt_for(sequence)) {
      preempt_last(plan);
    } else {
      return;  // Bounded overtaking: later ones must not use the blocks that this one waits for.
    }
  }
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
  m_running.push_back(std::move(m_waiting[index]));
  m_waiting.erase(m_waiting.begin() + static_cast<std::ptrdiff_t>(index));
  Sequence& sequence = *m_running.back();
  for (const auto& other : m_waiting) {
    const bool is_ready = !other->awaits_store && other->awaited == 0;
    if (is_ready && other->id < sequence.id) mark_bypassed(*other);
  }
  const auto copies = m_cache->match_prefix(sequence.table);
  add_copies(plan);
  plan.copies.insert(plan.copies.end(), copies.begin(), copies.end());
  if (sequence.num_cached < 0) {
    sequence.num_cached = sequence.table.num_computed();
    sequence.num_cut = sequence.table.states().num_cut;
  }
  add_rows(sequence, plan);
}

// There must be blocks for its own tokens, for those that the running sequences still compute, and
// one more for each running sequence to grow, or they would preempt it at once.
bool Scheduler::has_room_for(const Sequence& sequence) const {
  if (m_running.empty()) return true;
  const int most = std::min(m_limits.max_sequences, m_cache->states().max_sequences());
  if (static_cast<int>(m_running.size()) >= most) return false;
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

// Only sequences that are not privileged are preempted, and only if that is enough: the remaining
// ones must still have the blocks that has_room_for() reserves.
bool Scheduler::may_preempt_for(const Sequence& sequence) const {
  if (m_running.empty() || is_privileged(*m_running.back())) return false;
  int available = m_cache->pool().num_free();
  int needed = blocks_for(sequence.table.num_tokens());
  for (const auto& running : m_running) {
    const auto& blocks = running->table.blocks();
    if (is_privileged(*running)) {
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
    if (is_privileged(*running)) {
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
