#include "engine/scheduler/scheduler.h"

#include <algorithm>
#include <utility>

namespace quire {

Scheduler::Scheduler(BlockCache& cache, const SchedulerLimits& limits)
    : m_cache(&cache), m_limits(limits) {
  CHECK(limits.max_sequences > 0 && limits.max_batch_tokens >= limits.max_sequences);
}

Sequence* Scheduler::add(std::unique_ptr<Sequence> sequence) {
  CHECK(sequence->table.num_tokens() > 0);
  CHECK(blocks_for(sequence->table.num_tokens()) <= m_cache->pool().size());
  m_waiting.push_back(std::move(sequence));
  return m_waiting.back().get();
}

void Scheduler::remove(SequenceId id) {
  for (Queue* queue : {&m_running, &m_waiting}) {
    const auto it = std::ranges::find(*queue, id, [](const auto& s) { return s->id; });
    if (it == queue->end()) continue;
    m_cache->release((*it)->table);
    queue->erase(it);
    return;
  }
}

Sequence* Scheduler::find(SequenceId id) const {
  for (const Queue* queue : {&m_running, &m_waiting}) {
    const auto it = std::ranges::find(*queue, id, [](const auto& s) { return s->id; });
    if (it != queue->end()) return it->get();
  }
  return nullptr;
}

StepPlan Scheduler::schedule() {
  StepPlan plan;
  m_preempted = false;
  sort(m_running);
  sort(m_waiting);
  schedule_running(plan, /*decodes=*/true);
  schedule_running(plan, /*decodes=*/false);
  if (!m_preempted) admit_waiting(plan);
  return plan;
}

void Scheduler::mark_computed(const StepPlan& plan) {
  for (const ScheduledRows& rows : plan.rows) {
    m_cache->mark_computed(rows.sequence->table, rows.begin + rows.count);
    rows.sequence->num_rows += rows.count;
  }
}

bool Scheduler::precedes(const Sequence& a, const Sequence& b) {
  return a.focused != b.focused ? a.focused : a.id < b.id;
}

void Scheduler::sort(Queue& queue) const {
  std::ranges::sort(queue, [](const auto& a, const auto& b) { return precedes(*a, *b); });
}

// Whoever is preempted on the way stands at the end of m_running, at or behind index i.
void Scheduler::schedule_running(StepPlan& plan, bool decodes) {
  for (size_t i = 0; i < m_running.size(); ++i) {
    Sequence& sequence = *m_running[i];
    if ((sequence.table.num_uncomputed() == 1) == decodes) add_rows(sequence, plan);
  }
}

void Scheduler::add_rows(Sequence& sequence, StepPlan& plan) {
  const BlockTable& table = sequence.table;
  const int count = std::min(table.num_uncomputed(), m_limits.max_batch_tokens - plan.num_tokens);
  if (count <= 0) return;
  const int begin = table.num_computed();
  if (!make_room(sequence, begin + count, plan)) return;
  plan.rows.push_back({&sequence, begin, count, begin + count == table.num_tokens()});
  plan.num_tokens += count;
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
  m_preempted = true;
  m_waiting.push_back(std::move(sequence));
}

void Scheduler::admit_waiting(StepPlan& plan) {
  for (size_t i = 0; i < m_waiting.size();) {
    const bool is_full = static_cast<int>(m_running.size()) >= m_limits.max_sequences;
    if (is_full || plan.num_tokens >= m_limits.max_batch_tokens) return;
    if (waits_for_prefix(*m_waiting[i])) {
      ++i;
      continue;
    }
    if (!can_admit(*m_waiting[i])) return;  // Whoever comes later may not overtake it for ever.
    m_running.push_back(std::move(m_waiting[i]));
    m_waiting.erase(m_waiting.begin() + static_cast<std::ptrdiff_t>(i));
    Sequence& sequence = *m_running.back();
    m_cache->match_prefix(sequence.table);
    if (sequence.num_cached < 0) sequence.num_cached = sequence.table.num_computed();
    add_rows(sequence, plan);
  }
}

// Beside its own tokens there must be room for what the running ones still have to compute, and a
// block for each of them to grow, or they would preempt it at once.
bool Scheduler::can_admit(const Sequence& sequence) const {
  if (m_running.empty()) return true;
  int promised = static_cast<int>(m_running.size());
  for (const auto& running : m_running) {
    promised +=
        blocks_for(running->table.num_tokens()) - static_cast<int>(running->table.blocks().size());
  }
  const BlockCache::Match match = m_cache->count_matching(sequence.table);
  const int missing = blocks_for(sequence.table.num_tokens()) - match.blocks;
  return missing + promised <= m_cache->pool().num_free() - match.free_blocks;
}

bool Scheduler::waits_for_prefix(const Sequence& sequence) const {
  const size_t next = m_cache->count_matching(sequence.table).blocks;
  const auto& keys = sequence.table.keys();
  if (next >= keys.size()) return false;
  return m_cache->shares_prefixes() && std::ranges::any_of(m_running, [&](const auto& running) {
           const BlockTable& table = running->table;
           const bool has_block = next < table.keys().size() && table.keys()[next] == keys[next];
           return has_block && table.num_computed() < static_cast<int>(next + 1) * kBlockSize;
         });
}

}  // namespace quire
