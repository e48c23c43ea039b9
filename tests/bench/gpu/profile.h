#pragma once

#include <vector>

#include "tests/bench/gpu/kernel_benches.h"
#include "tests/bench/gpu/step_runner.h"

namespace quire::bench {

/// All operations of one kind in a step.
struct ProfileRow {
  std::string name;
  int count = 0;
  double seconds = 0.0;        ///< Of all of them.
  double floor_seconds = 0.0;  ///< Of all of them at the ceilings; 0 where these were not run.
};

/// Each kind of operation by itself, those of all layers in turn (whose weights no cache holds): as
/// a captured graph where `as_graph`. Errors: the device's.
Result<std::vector<ProfileRow>> profile_step(const Bench& bench, StepRunner& runner, bool as_graph);

double sum_of_seconds(const std::vector<ProfileRow>& rows);

/// A line for each row: its time, its share of the whole, and what the ceilings would leave.
void report_profile(const Bench& bench, const std::string& step_name,
                    const std::vector<ProfileRow>& rows);

}  // namespace quire::bench
