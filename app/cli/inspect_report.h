#pragma once

#include <nlohmann/json_fwd.hpp>

#include "engine/model_summary.h"
#include "kernels/base/dtype.h"

namespace quire {

/// Everything that `inspect --json` prints of a model, with every tensor if `list_tensors`. Fields
/// that could not be read are left out.
nlohmann::ordered_json summary_json(const ModelSummary& summary, DType kv_dtype, bool list_tensors);

/// Prints the same as text to standard output.
void print_summary(const nlohmann::ordered_json& summary);

}  // namespace quire
