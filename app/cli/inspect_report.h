#pragma once

#include <nlohmann/json_fwd.hpp>

#include "engine/model_summary.h"
#include "kernels/base/dtype.h"

namespace quire {

/// Everything that `inspect --json` prints of a model; with every tensor if asked for. What could
/// not be read is left out.
nlohmann::ordered_json summary_json(const ModelSummary& summary, DType kv_dtype, bool list_tensors);

/// The same for people, on standard output.
void print_summary(const nlohmann::ordered_json& summary);

}  // namespace quire
