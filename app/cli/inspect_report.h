#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "engine/model_summary.h"
#include "kernels/base/dtype.h"

namespace quire {

/// Everything that `inspect --json` prints of a model but its tensors. Fields that could not be
/// read are left out. The memory it needs is listed for each dtype of the KV cache, of which
/// choose_kv_dtype() picks one.
nlohmann::ordered_json summary_json(const ModelSummary& summary);
void choose_kv_dtype(nlohmann::ordered_json& model, DType kv_dtype);

/// A line of JSON for each tensor: there may be 290,000, of which a document would take half a
/// gigabyte.
std::string tensor_lines(const ModelSummary& summary);

/// Writes the document to standard output, with a list of the tensors as its last member if there
/// are lines of them. False for other lines than tensor_lines() gives.
bool write_summary(const nlohmann::ordered_json& summary,
                   std::optional<std::string_view> tensor_lines);
/// Prints the same as text.
bool print_summary(const nlohmann::ordered_json& summary,
                   std::optional<std::string_view> tensor_lines);

}  // namespace quire
