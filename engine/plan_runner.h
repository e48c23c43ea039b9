#pragma once

#include <functional>
#include <vector>

#include "engine/answer.h"
#include "engine/cache/kv_storage.h"
#include "engine/model_runner.h"
#include "engine/scheduler/scheduler.h"

namespace quire {

/// Computes a plan's rows and draws a token for each sequence whose last row was computed: on the
/// device where it can, so that only tokens come back, otherwise here.
///
/// Decodes can run ahead on a device that works beside the host: start() submits a step, whose
/// successor may be submitted before its tokens are known, since they are where the successor reads
/// them. Steps finish in their order.
/// Thread: the engine's.
class PlanRunner {
 public:
  /// The tokens of the plan's sampling rows, in their order.
  using Drawn = std::vector<Result<SampledToken>>;
  /// The answer that a sequence writes.
  using AnswerOf = std::function<Answer&(const ScheduledRows& rows)>;

  /// kv and model outlive it.
  PlanRunner(const LoadedModel& model, KvStorage& kv, ModelRunner runner, AnswerOf answer_of);

  /// Errors: the device's.
  Result<Drawn> compute(const StepPlan& plan);

  /// Whether start() takes the plan.
  bool can_start(const StepPlan& plan) const;
  /// `follows`: each row's token is the one that the step started before draws for it.
  Result<void> start(const StepPlan& plan, bool follows);
  /// The first step started that has not finished. Errors: the device's.
  Result<std::vector<TokenId>> finish();
  /// Waits for all steps started and forgets them.
  void give_up() { m_runner.give_up(); }

 private:
  bool draws_on_device(const StepPlan& plan) const;
  void list_rows(const StepPlan& plan, int ahead);
  Result<Drawn> draw_on_device(const StepPlan& plan);
  Result<Drawn> draw_here(const StepPlan& plan);

  const LoadedModel& m_model;
  KvStorage& m_kv;
  ModelRunner m_runner;
  AnswerOf m_answer_of;
  Sampler m_sampler;
  SampleRows m_rows;
};

}  // namespace quire
