#pragma once

#include <vector>

#include "tests/bench/gpu/options.h"
#include "tests/bench/gpu/report.h"

namespace quire::bench {

/// The figure without values that stands for all, where there is no device.
inline constexpr const char* kEverything = "everything";

/// The GPU targets of the project (an H200: 4.3 TB/s copied, 790 TFLOP/s multiplied), each against
/// its figure in the report, or the reason that the report or the options have for there being
/// none.
std::vector<TargetResult> check_targets(const Report& report, const Options& options);

/// A line for each.
void print_targets(const std::vector<TargetResult>& results);

}  // namespace quire::bench
