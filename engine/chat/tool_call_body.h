#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/chat/tool_calls.h"
#include "engine/chat/tool_schemas.h"
#include "engine/io/json_file.h"

namespace quire {

/// Bounds on what a model writes as one call or list of calls. Building a document takes time in
/// proportion to the square of an object's keys. A grammar allows values nested up to 128 deep.
inline constexpr JsonLimits kCallLimits = {
    .max_bytes = 1 << 20, .max_depth = 160, .max_values = 20'000};

/// Finds the end of a JSON object or array in a text that arrives in pieces. It only counts
/// brackets outside strings; whether they match is left to the parser.
class JsonEnd {
 public:
  /// True with the character that ends the value. Of what begins with '{' or '['.
  bool push(char c);

 private:
  int m_depth = 0;
  bool m_in_string = false;
  bool m_is_escaped = false;
};

/// The calls in a JSON object or list of objects: {"name": "...", "arguments": {...}} and its
/// variants. With a `name` the object is the arguments of that tool. Nothing if any of them is
/// malformed. Arguments are objects; if there are none, the object is empty unless
/// `needs_arguments`.
std::optional<std::vector<ToolCall>> read_json_calls(std::string_view json, const std::string& name,
                                                     bool needs_arguments);

/// The call in tags: of Qwen3-Coder, <function=NAME><parameter=KEY>VALUE</parameter></function>, or
/// of GLM, NAME<arg_key>KEY</arg_key><arg_value>VALUE</arg_value>. Nothing if it is malformed.
std::optional<ToolCall> read_tagged_call(std::string_view body, const ToolSchemas& schemas);

}  // namespace quire
