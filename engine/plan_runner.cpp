#include "engine/plan_runner.h"

#include <algorithm>
#include <utility>

#include "engine/scheduler/batch.h"

namespace quire {

PlanRunner::PlanRunner(const LoadedModel& model, KvStorage& kv, ModelRunner runner,
                       AnswerOf answer_of)
    : m_model(model), m_kv(kv), m_runner(std::move(runner)), m_answer_of(std::move(answer_of)) {}

Result<PlanRunner::Drawn> PlanRunner::compute(const StepPlan& plan) {
  return draws_on_device(plan) ? draw_on_device(plan) : draw_here(plan);
}

bool PlanRunner::draws_on_device(const StepPlan& plan) const {
  return m_runner.can_sample() && std::ranges::all_of(plan.rows, [&](const ScheduledRows& rows) {
           return !rows.samples || m_answer_of(rows).is_drawn_anywhere();
         });
}

void PlanRunner::list_rows(const StepPlan& plan, int ahead) {
  m_rows.clear();
  for (const ScheduledRows& rows : plan.rows) {
    if (rows.samples) m_answer_of(rows).add_row(m_rows, ahead);
  }
}

Result<PlanRunner::Drawn> PlanRunner::draw_on_device(const StepPlan& plan) {
  list_rows(plan, 0);
  const auto tokens = m_runner.run_and_sample(make_forward_batch(plan), m_kv, m_rows.batch());
  if (!tokens) return tokens.error();
  Drawn drawn;
  for (const ScheduledRows& rows : plan.rows) {
    if (rows.samples) drawn.push_back(m_answer_of(rows).drawn((*tokens)[drawn.size()]));
  }
  return drawn;
}

Result<PlanRunner::Drawn> PlanRunner::draw_here(const StepPlan& plan) {
  const auto logits = m_runner.run(make_forward_batch(plan), m_kv);
  if (!logits) return logits.error();
  const size_t vocab = static_cast<size_t>(m_model.config.vocab_size);
  Drawn drawn;
  for (const ScheduledRows& rows : plan.rows) {
    if (!rows.samples) continue;
    const std::span<float> row = logits->subspan(drawn.size() * vocab, vocab);
    drawn.push_back(m_answer_of(rows).draw(row, m_sampler));
  }
  return drawn;
}

bool PlanRunner::can_start(const StepPlan& plan) const {
  const auto decodes = [](const ScheduledRows& rows) { return rows.count == 1 && rows.samples; };
  return m_runner.can_run_ahead() && !plan.rows.empty() &&
         std::ranges::all_of(plan.rows, decodes) && draws_on_device(plan);
}

Result<void> PlanRunner::start(const StepPlan& plan, bool follows) {
  list_rows(plan, follows ? 1 : 0);
  return m_runner.start_decode(make_forward_batch(plan), m_kv, m_rows.batch(), follows);
}

Result<std::vector<TokenId>> PlanRunner::finish() {
  const auto tokens = m_runner.finish_decode();
  if (!tokens) return tokens.error();
  return std::vector<TokenId>(tokens->begin(), tokens->end());
}

}  // namespace quire
