#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "kernels/base/result.h"

namespace quire {

/// The CPU's measured choices with `num_threads` threads (0: all cores), for `inspect --devices`:
/// an array with one object for each dtype of weight, which holds the choice and the speed of each
/// alternative. With `measure` the common dtypes and those measured before are first measured
/// again, in less than a second each. The choices are those of the file cpu-tuning.json in
/// `data_folder`; empty: of default_tuning_path(). Errors: those of tune_cpu().
Result<nlohmann::ordered_json> tuning_json(int num_threads, bool measure,
                                           const std::string& data_folder);

/// Prints what tuning_json() returns, as indented lines.
void print_tuning(const nlohmann::ordered_json& tuning);

}  // namespace quire
