#pragma once

#include <numeric>
#include <vector>

#include "engine/scheduler/scheduler.h"
#include "tests/engine/scheduler/simulated_model.h"

namespace quire {

inline std::vector<int32_t> tokens(int count, int first = 0) {
  std::vector<int32_t> ids(count);
  std::iota(ids.begin(), ids.end(), first);
  return ids;
}

/// A scheduler with its cache, whose steps are "computed" by just believing them.
struct Fixture {
  Fixture(int num_blocks, SchedulerLimits limits)
      : cache(num_blocks), scheduler(cache, limits), model(num_blocks) {}

  Sequence* add(std::vector<int32_t> prompt, bool focused = false) {
    return add_with(focused ? kFocusedPriority : 0, std::move(prompt));
  }
  Sequence* add_with(int priority, std::vector<int32_t> prompt) {
    auto sequence = std::make_unique<Sequence>(++next_id, root_key("test"), std::move(prompt));
    sequence->priority = priority;
    return scheduler.add(std::move(sequence));
  }
  StepPlan step() {
    StepPlan plan = scheduler.schedule();
    complete(plan);
    return plan;
  }
  void complete(const StepPlan& plan) {
    for (const BlockCopy& copy : plan.copies) model.copy(copy);
    for (const auto& rows : plan.rows) contents_ok = contents_ok && model.compute({&rows, 1});
    for (const ScheduledRows& rows : plan.rows) scheduler.mark_computed(rows);
    for (const auto& rows : plan.rows) {
      if (rows.samples) {
        rows.sequence->table.append(SimulatedModel::next_token(rows.sequence->table.tokens()));
      }
    }
  }
  int rows_of(const StepPlan& plan, const Sequence* sequence) const {
    for (const auto& rows : plan.rows) {
      if (rows.sequence == sequence) return rows.count;
    }
    return 0;
  }

  BlockCache cache;
  Scheduler scheduler;
  SimulatedModel model;
  SequenceId next_id = 0;
  bool contents_ok = true;
};

}  // namespace quire
