#pragma once

#include <vector>

#include "tests/bench/gpu/report.h"

namespace quire::bench {

/// The GPU targets of the project (an H200: 4.3 TB/s copied, 790 TFLOP/s multiplied), each against
/// its figure in the report.
std::vector<TargetResult> check_targets(const Report& report);

/// A line for each.
void print_targets(const std::vector<TargetResult>& results);

}  // namespace quire::bench
