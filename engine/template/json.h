#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/template/runtime.h"

namespace quire::jinja {

/// A JSON value as the template sees it; its texts, keys included, are marked as input on demand.
Value from_json(Runtime& runtime, const nlohmann::ordered_json& json, bool is_input);

struct JsonStyle {
  bool ensure_ascii = false;
  bool sort_keys = false;
  bool has_indent = false;
  std::string indent;  ///< What one level is indented by.
  std::string item_separator = ", ";
  std::string key_separator = ": ";
};

/// Python's json.dumps(value). The result is input as a whole if any part of it is.
/// Fails on values that JSON does not have, undefined ones among them.
Value write_json(Runtime& runtime, const Value& value, const JsonStyle& style);

}  // namespace quire::jinja
