#include <algorithm>
#include <utility>

#include "engine/scheduler/scheduler.h"

namespace quire {

const Sequence* Scheduler::focused_decode() const {
  const auto it = std::ranges::find_if(
      m_running, [](const auto& sequence) { return sequence->is_focused() && decodes(*sequence); });
  return it == m_running.end() ? nullptr : it->get();
}

/// Whether a focused sequence has a prompt that could be computed.
bool Scheduler::has_focused_prompt() const {
  const auto runs = [](const auto& sequence) {
    return sequence->is_focused() && !decodes(*sequence);
  };
  const auto waits = [](const auto& sequence) {
    return sequence->is_focused() && sequence->awaited == 0 && !sequence->awaits_store;
  };
  return std::ranges::any_of(m_running, runs) || std::ranges::any_of(m_waiting, waits);
}

/// Schedules a focused prompt without rows of low priority, unless it is the others' turn. Returns
/// whether the prompt got rows; if not, no rows of low priority are denied.
bool Scheduler::schedule_focused_prompt(StepPlan& plan) {
  const bool has_prompt = has_focused_prompt();
  m_shares = has_prompt ? m_num_prompts_alone == kShareSteps - 1 : m_num_steps % kShareSteps == 0;
  if (!has_prompt || m_shares || !m_focus_budget.may_be_lone()) return false;
  const auto num_focused = [&plan] {
    return std::ranges::count_if(plan.rows, &Sequence::is_focused, &ScheduledRows::sequence);
  };
  const auto num_decodes = num_focused();
  const int low_rows_left = std::exchange(m_low_rows_left, 0);
  for (size_t i = 0; i < m_running.size(); ++i) {
    Sequence& sequence = *m_running[i];
    if (sequence.is_focused() && !decodes(sequence)) add_rows(sequence, plan);
  }
  admit_waiting(plan, Level::kFocused, Whom::kFocused);
  if (num_focused() > num_decodes) return true;
  m_low_rows_left = low_rows_left;
  return false;
}

/// Called after the decodes of chats were planned.
void Scheduler::limit_low_rows(const StepPlan& plan) {
  m_low_rows_left = INT_MAX;
  const auto is_focused = [](const ScheduledRows& rows) { return rows.sequence->is_focused(); };
  const auto focused = std::ranges::find_if(plan.rows, is_focused);
  m_is_limited = focused != plan.rows.end();
  if (!m_is_limited) return;
  if (std::exchange(m_focused, focused->sequence->id) != m_focused) m_focus_budget.restart();
  int num_rows = plan.num_tokens;
  for (const ScheduledRows& rows : plan.rows) {
    num_rows += static_cast<int>(rows.sequence->drafts.size());
  }
  m_low_rows_left = m_focus_budget.rows_beside(num_rows);
}

}  // namespace quire
