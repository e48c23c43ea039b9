#include "engine/step_executor.h"

#include <algorithm>
#include <utility>

namespace quire {

Result<void> StepExecutor::submit(StepPlan plan) {
  if (plan.rows.empty()) return m_transfer.make(plan.copies);
  return submit(std::move(plan), /*follows=*/false);
}

/// `follows`: the input token of each row is the one that the previously submitted step samples for
/// it.
Result<void> StepExecutor::submit(StepPlan plan, bool follows) {
  count_rows(plan);
  if (auto copied = m_transfer.make(plan.copies); !copied) return copied;
  if (auto filled = m_own_drafts.fill(plan); !filled) return filled;
  m_sample_rows.clear();
  ModelRunner::Sampling sampling = {.follows = follows};
  SubmittedStep next;
  for (const ScheduledRows& rows : plan.rows) {
    next.ids.push_back(rows.sequence->id);
    if (!rows.samples) continue;
    Answer& answer = m_requests.answer(rows.sequence->id);
    sampling.wants_logits |= answer.wants_logits();
    if (follows) {
      answer.add_row(m_sample_rows, /*ahead=*/1);
    } else {
      answer.add_rows(m_sample_rows, rows.drafts());
    }
  }
  sampling.rows = m_sample_rows.batch();
  const auto done = m_devices.runner->submit(make_forward_batch(plan), m_devices.kv, sampling);
  if (!done) return done;
  next.plan = std::move(plan);
  m_submitted = std::move(next);
  return {};
}

Result<std::vector<ComputedRows>> StepExecutor::wait() {
  const SubmittedStep step = *std::exchange(m_submitted, std::nullopt);
  if (auto next = step_after(step)) {
    if (auto done = submit(std::move(*next), /*follows=*/true); !done) return done.error();
  }
  const auto sampled = m_devices.runner->wait();
  if (!sampled) return sampled.error();
  if (!m_submitted) note_time(step);
  std::vector<ComputedRows> computed;
  size_t first = 0;
  for (size_t i = 0; i < step.ids.size(); ++i) {
    const auto count = static_cast<size_t>(step.plan.rows[i].num_logits());
    const SampledRows own = sampled->rows(std::exchange(first, first + count), count);
    // A request may have ended while its step was computed.
    if (m_requests.contains(step.ids[i])) computed.push_back({step.plan.rows[i], own});
  }
  return computed;
}

/// The step that follows `step`, if it can be planned before the tokens of `step` are known.
std::optional<StepPlan> StepExecutor::step_after(const SubmittedStep& step) {
  const auto decodes = [](const ScheduledRows& rows) { return rows.count == 1 && rows.samples; };
  const auto goes_on = [&](RequestId id) {
    if (!m_requests.contains(id)) return false;
    const ActiveRequest& request = m_requests.at(id);
    return request.adapter == 0 && request.answer.can_look_ahead(m_devices.max_context);
  };
  const bool can_follow = m_devices.runner->can_run_ahead() && !m_speculation.is_forced() &&
                          std::ranges::all_of(step.plan.rows, decodes) &&
                          std::ranges::all_of(step.ids, goes_on);
  return can_follow ? m_scheduler.follow(step.plan) : std::nullopt;
}

void StepExecutor::drop_submitted() {
  m_submitted.reset();
  if (m_devices.runner) m_devices.runner->drop_submitted();
}

void StepExecutor::count_rows(const StepPlan& plan) {
  EngineStats& totals = m_requests.totals();
  totals.batch_tokens = plan.num_tokens;
  totals.batch_sequences = static_cast<int>(plan.rows.size());
  totals.computed_tokens += plan.num_tokens;
  ++totals.steps;
}

/// Steps that do nothing but decode tell what their rows cost.
void StepExecutor::note_time(const SubmittedStep& step) {
  const auto decodes = [](const ScheduledRows& rows) {
    return rows.samples && rows.count == 1 + rows.num_drafts;
  };
  if (!std::ranges::all_of(step.plan.rows, decodes)) return;
  const std::chrono::duration<double, std::milli> took =
      std::chrono::steady_clock::now() - step.began;
  const int num_sequences = static_cast<int>(step.plan.rows.size());
  m_speculation.note_step(step.plan.num_tokens, took.count(), step.plan.num_tokens - num_sequences);
}

}  // namespace quire
