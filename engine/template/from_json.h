#pragma once

#include <nlohmann/json_fwd.hpp>

#include "engine/template/runtime.h"

namespace quire::jinja {

/// A JSON value as the template sees it; its texts, keys included, are marked as input on demand.
Value from_json(Runtime& runtime, const nlohmann::ordered_json& json, bool is_input);

}  // namespace quire::jinja
