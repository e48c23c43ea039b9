#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/cli/bench_report.h"

namespace quire {

/// The names of what measure_as_peers can measure.
std::vector<std::string> peer_measures();

/// What `./dev bench peers` also measures of other programs, by the same definitions
/// (docs/benchmarks.md): for each name its tokens per second by that clock, `repeat` times, after a
/// run that does not count. Errors: kContextOverflow, kInvalidArgument (a request failed).
Result<nlohmann::ordered_json> measure_as_peers(Llm& llm, const std::vector<std::string>& names,
                                                int repeat, ClockMs clock);

}  // namespace quire
