#pragma once

#include <nlohmann/json_fwd.hpp>

#include "kernels/base/result.h"

namespace quire {

/// What is known of the CPU's choices with so many threads (0: all cores), for
/// `inspect --devices`: by dtype of weight what was chosen, and how fast it and the alternatives
/// were. `measure`: the common dtypes and all that are known are measured anew before, in less than
/// a second each. Errors: those of tune_cpu().
Result<nlohmann::ordered_json> tuning_json(int num_threads, bool measure);

/// Prints the same as indented lines.
void print_tuning(const nlohmann::ordered_json& tuning);

}  // namespace quire
