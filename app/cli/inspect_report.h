#pragma once

#include <nlohmann/json_fwd.hpp>

#include "engine/model_summary.h"
#include "kernels/base/dtype.h"

namespace quire {

/// Everything that `inspect --json` prints of a model, with every tensor if `list_tensors`. Fields
/// that could not be read are left out. The memory it needs is listed for each dtype of the KV
/// cache, of which choose_kv_dtype() picks one.
nlohmann::ordered_json summary_json(const ModelSummary& summary, bool list_tensors);
void choose_kv_dtype(nlohmann::ordered_json& model, DType kv_dtype);

/// Prints the same as text to standard output.
void print_summary(const nlohmann::ordered_json& summary);

}  // namespace quire
