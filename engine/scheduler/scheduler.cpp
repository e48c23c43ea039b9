#include "engine/scheduler/scheduler.h"

#include <algorithm>
#include <utility>

namespace quire {
namespace {

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
  m_kept_rows = 0;
  ++m_num_steps;
  sort(m_running);
  sort(m_waiting);
  schedule_decodes(plan);
  limit_low_rows(plan);
  const bool is_alone = schedule_focused_prompt(plan);
  const bool is_allowed = !is_alone && m_low_rows_left > 0;
  m_focus_budget.count_step(is_allowed);
  if (m_is_limited && is_allowed) ++m_num_limited;
  m_num_prompts_alone = is_alone ? m_num_prompts_alone + 1 : 0;
  schedule_beside(plan);
  add_copies(plan);
  note_plan(plan);
  return plan;
}

/// Schedules all that is not in the plan yet.
void Scheduler::schedule_beside(StepPlan& plan) {
  const bool low_decodes_last =
      m_is_limited && m_low_rows_left > 0 && m_num_limited % kShareSteps == 0;
  if (!low_decodes_last) schedule_low_decodes(plan);
  m_kept_rows = low_decodes_last ? 1 : 0;
  add_drafts(plan);
  for (const Level level : level_order()) {
    schedule_prefills(plan, level);
    admit_waiting(plan, level);
  }
  if (low_decodes_last) schedule_low_decodes(plan);
}

std::optional<StepPlan> Scheduler::follow(const StepPlan& plan) {
  if (plan.rows.size() != m_running.size() || can_admit_any()) return std::nullopt;
  // The focus may have moved since.
  const Sequence* focused = focused_decode();
  if ((focused ? focused->id : 0) != (m_is_limited ? m_focused : 0)) return std::nullopt;
  if (focused && m_focus_budget.rows_beside(m_last.num_rows) < m_last.num_low_rows) {
    return std::nullopt;
  }
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

void Scheduler::note_time(double milliseconds) {
  // If the focused sequence has ended, nothing may have been computed for a while.
  const Sequence* focused = focused_decode();
  if (m_last.focused == 0 || !focused || focused->id != m_last.focused) return;
  m_focus_budget.note_step(m_last.num_rows, m_last.num_low_rows, milliseconds);
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

Scheduler::Level Scheduler::level_of(const Sequence& sequence) {
  if (sequence.is_focused()) return Level::kFocused;
  if (sequence.num_bypassed >= kStarvationBound) return Level::kStarved;
  return is_low(sequence) ? Level::kLow : Level::kChats;
}

bool Scheduler::is_privileged(const Sequence& sequence) {
  return level_of(sequence) <= Level::kStarved;
}

bool Scheduler::precedes(const Sequence& a, const Sequence& b) {
  if (is_privileged(a) != is_privileged(b)) return is_privileged(a);
  if (!is_privileged(a) && a.priority != b.priority) return a.priority > b.priority;
  return a.id < b.id;
}

/// Whether a running sequence is preempted to admit another one.
bool Scheduler::yields(const Sequence& running, const Sequence& to) {
  return !is_privileged(running) && running.priority < to.priority;
}

void Scheduler::sort(Queue& queue) {
  std::ranges::sort(queue, [](const auto& a, const auto& b) { return precedes(*a, *b); });
}

/// The levels in the order in which prefills and new sequences are scheduled in this step.
std::array<Scheduler::Level, 4> Scheduler::level_order() const {
  using enum Level;
  if (!m_shares) return {kFocused, kStarved, kChats, kLow};
  // Endless prompts of chats may not keep the others waiting either.
  if (m_num_steps / kShareSteps % 2 != 0) return {kStarved, kChats, kLow, kFocused};
  return {kStarved, kLow, kChats, kFocused};
}

/// Whether it is of that level, or a waiting sequence of that level awaits what it computes.
bool Scheduler::computes_for(const Sequence& sequence, Level level) const {
  return level_of(sequence) == level || std::ranges::any_of(m_waiting, [&](const auto& waiting) {
           return waiting->awaited == sequence.id && level_of(*waiting) == level;
         });
}

/// Schedules the decodes that are not of low priority. A sequence that is preempted in this loop
/// was at the end of m_running, at index i or later, so the loop skips none.
void Scheduler::schedule_decodes(StepPlan& plan) {
  for (size_t i = 0; i < m_running.size(); ++i) {
    Sequence& sequence = *m_running[i];
    if (!is_low(sequence) && decodes(sequence)) add_rows(sequence, plan);
  }
}

void Scheduler::schedule_low_decodes(StepPlan& plan) {
  std::vector<Sequence*> sequences;
  for (const auto& sequence : m_running) {
    const bool is_planned = sequence->last_step == m_num_steps;
    if (is_low(*sequence) && decodes(*sequence) && !is_planned) sequences.push_back(sequence.get());
  }
  if (m_is_limited) std::ranges::stable_sort(sequences, {}, &Sequence::last_step);
  for (Sequence* sequence : sequences) {
    const bool is_preempted = sequence->table.blocks().empty();
    if (!is_preempted) add_rows(*sequence, plan);
  }
}

/// The same holds here for sequences that are preempted.
void Scheduler::schedule_prefills(StepPlan& plan, Level level) {
  for (size_t i = 0; i < m_running.size(); ++i) {
    Sequence& sequence = *m_running[i];
    if (sequence.last_step == m_num_steps || decodes(sequence)) continue;
    if (computes_for(sequence, level)) add_rows(sequence, plan);
  }
}

int Scheduler::rows_left(const Sequence& sequence, const StepPlan& plan) const {
  const int left = m_limits.max_batch_tokens - plan.num_tokens;
  return is_low(sequence) ? std::min(left, m_low_rows_left) : left - m_kept_rows;
}

void Scheduler::add_rows(Sequence& sequence, StepPlan& plan) {
  const BlockTable& table = sequence.table;
  const int count = std::min(table.num_uncomputed(), rows_left(sequence, plan));
  if (count <= 0 || std::ranges::find(plan.exhausted, sequence.id) != plan.exhausted.end()) return;
  const int begin = table.num_computed();
  if (!make_room(sequence, begin + count, plan)) return;
  plan.rows.push_back({&sequence, begin, count, begin + count == table.num_tokens()});
  plan_states(plan.rows.back());
  plan.num_tokens += count;
  if (is_low(sequence)) m_low_rows_left -= count;
  sequence.last_step = m_num_steps;
}

/// The most sequences that sample in this step, those that wait as well. Of low priority these are
/// as many as there are rows for, and the starved ones, which are admitted anyway.
int Scheduler::most_sampling(const StepPlan& plan) const {
  const auto is_low_rows = [](const ScheduledRows& rows) { return is_low(*rows.sequence); };
  int low_rows = static_cast<int>(std::ranges::count_if(plan.rows, is_low_rows));
  int num_low = 0, num_chats = 0;
  for (const Queue* queue : {&m_running, &m_waiting}) {
    for (const auto& sequence : *queue) {
      ++(is_low(*sequence) ? num_low : num_chats);
      if (is_low(*sequence) && is_privileged(*sequence)) ++low_rows;
    }
  }
  if (m_is_limited) num_low = std::min(num_low, low_rows + m_low_rows_left);
  return std::min(num_chats + num_low, m_limits.max_sequences);
}

/// A draft without a row, a block or a slot for its state is left out, with those after it.
void Scheduler::add_drafts(StepPlan& plan) {
  int most = std::max(0, std::min(m_limits.max_batch_tokens - plan.num_tokens - m_kept_rows,
                                  m_limits.max_logits - most_sampling(plan)));
  for (ScheduledRows& rows : plan.rows) {
    if (rows.count > 1 || !rows.samples) continue;  // A prompt.
    Sequence& sequence = *rows.sequence;
    int count = std::min(static_cast<int>(sequence.drafts.size()), most);
    if (is_low(sequence)) count = std::min(count, m_low_rows_left);
    const int end = rows.begin + rows.count;
    while (count > 0 && !m_cache->reserve(sequence.table, end + count)) --count;
    count = m_cache->plan_draft_states(sequence.table, count, rows.states);
    rows.num_drafts = count;
    rows.count += count;
    plan.num_tokens += count;
    if (is_low(sequence)) m_low_rows_left -= count;
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
    if (is_low(*sequence)) m_low_rows_left += rows.count;
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

/// Remembers what the time of this step will tell.
void Scheduler::note_plan(const StepPlan& plan) {
  m_last = {.focused = m_is_limited ? m_focused : 0};
  for (const ScheduledRows& rows : plan.rows) {
    const bool is_decode = rows.samples && rows.count == 1 + rows.num_drafts;
    if (is_low(*rows.sequence)) {
      m_last.num_low_rows += rows.count;
    } else {
      m_last.num_rows += rows.count;
      if (!is_decode) m_last.focused = 0;
    }
  }
}

void Scheduler::mark_bypassed(Sequence& sequence) const {
  if (std::exchange(sequence.last_bypassed_step, m_num_steps) == m_num_steps) return;
  ++sequence.num_bypassed;
}

}  // namespace quire
