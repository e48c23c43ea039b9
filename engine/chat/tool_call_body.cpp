#include "engine/chat/tool_call_body.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/chat/tool_call_headers.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxListedCalls = 128;
constexpr size_t kMaxArguments = 1024;  ///< Of a call in tags.
constexpr std::string_view kFunctionEnd = "</function>";
constexpr std::string_view kParameter = "<parameter=";
constexpr std::string_view kParameterEnd = "</parameter>";

std::string call_json(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The first of these fields that the object has; null: none.
const Json* first_of(const Json& object, std::initializer_list<const char*> fields) {
  for (const char* field : fields) {
    const auto at = object.find(field);
    if (at != object.end()) return &*at;
  }
  return nullptr;
}

/// Arguments as an object: some models write it as a string that holds JSON.
std::optional<Json> argument_object(const Json* arguments, bool needs_arguments) {
  if (arguments == nullptr || arguments->is_null()) {
    return needs_arguments ? std::nullopt : std::optional(Json::object());
  }
  if (arguments->is_object()) return *arguments;
  if (!arguments->is_string()) return std::nullopt;
  auto inner = parse_input(arguments->get_ref<const std::string&>(), "arguments", kCallLimits);
  if (!inner || !inner->is_object()) return std::nullopt;
  return std::move(*inner);
}

std::optional<ToolCall> read_call(const Json& object, bool needs_arguments) {
  if (!object.is_object()) return std::nullopt;
  const Json* inner = first_of(object, {"function"});
  const Json& call = inner != nullptr && inner->is_object() ? *inner : object;
  const Json* name = first_of(call, {"name", "tool_name", "function"});
  if (name == nullptr || !name->is_string()) return std::nullopt;
  const auto arguments =
      argument_object(first_of(call, {"arguments", "parameters"}), needs_arguments);
  const auto& text = name->get_ref<const std::string&>();
  if (!arguments || !is_tool_name(text)) return std::nullopt;
  return ToolCall{.id = new_tool_call_id(), .name = text, .arguments = call_json(*arguments)};
}

/// Removes `begin` from the text's front; false: it does not begin with it.
bool skip_mark(std::string_view& text, std::string_view begin) {
  if (!text.starts_with(begin)) return false;
  text.remove_prefix(begin.size());
  return true;
}

void skip_call_space(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kCallSpace), text.size()));
}

/// Removes the text up to `end`, and `end`; nothing if it is not there.
std::optional<std::string_view> take_until(std::string_view& text, std::string_view end) {
  const size_t at = text.find(end);
  if (at == text.npos) return std::nullopt;
  return std::exchange(text, text.substr(at + end.size())).substr(0, at);
}

/// A value up to the </parameter> after which another one or the function's end follows, without
/// the line breaks around it.
std::optional<std::string_view> take_parameter(std::string_view& text) {
  for (size_t at = text.find(kParameterEnd); at != text.npos;
       at = text.find(kParameterEnd, at + 1)) {
    std::string_view rest = text.substr(at + kParameterEnd.size());
    skip_call_space(rest);
    if (!rest.starts_with(kParameter) && !rest.starts_with(kFunctionEnd)) continue;
    std::string_view value = std::exchange(text, rest).substr(0, at);
    skip_mark(value, "\n");
    if (value.ends_with('\n')) value.remove_suffix(1);
    return value;
  }
  return std::nullopt;
}

ToolCall call_of(std::string_view name, const Json& arguments) {
  return {.id = new_tool_call_id(), .name = std::string(name), .arguments = call_json(arguments)};
}

std::optional<ToolCall> read_function(std::string_view body, const ToolSchemas& schemas) {
  const auto name = take_until(body, ">");
  if (!name || !is_tool_name(*name)) return std::nullopt;
  skip_call_space(body);
  Json arguments = Json::object();
  if (body.starts_with('{')) {
    const auto json = take_until(body, kFunctionEnd);
    const auto object = parse_input(json.value_or("{"), "arguments", kCallLimits);
    if (!object || !object->is_object()) return std::nullopt;
    return call_of(*name, *object);
  }
  while (skip_mark(body, kParameter)) {
    const auto key = take_until(body, ">");
    const auto value = key ? take_parameter(body) : std::nullopt;
    if (!value || arguments.size() >= kMaxArguments) return std::nullopt;
    const std::string field(*key);
    arguments[field] = schemas.value_of(std::string(*name), field, *value);
  }
  if (!skip_mark(body, kFunctionEnd) || !without_space_around(body).empty()) return std::nullopt;
  return call_of(*name, arguments);
}

std::optional<ToolCall> read_argument_tags(std::string_view body, const ToolSchemas& schemas) {
  const auto name = without_space_around(body.substr(0, body.find_first_of("\n<")));
  if (!is_tool_name(name)) return std::nullopt;
  body.remove_prefix(std::min(body.find_first_of("\n<"), body.size()));
  Json arguments = Json::object();
  for (skip_call_space(body); !body.empty(); skip_call_space(body)) {
    if (!skip_mark(body, "<arg_key>")) return std::nullopt;
    const auto key = take_until(body, "</arg_key>");
    skip_call_space(body);
    if (!key || !skip_mark(body, "<arg_value>")) return std::nullopt;
    const auto value = take_until(body, "</arg_value>");
    if (!value || arguments.size() >= kMaxArguments) return std::nullopt;
    const std::string field(without_space_around(*key));
    arguments[field] = schemas.value_of(std::string(name), field, *value);
  }
  return call_of(name, arguments);
}

}  // namespace

bool JsonEnd::push(char c) {
  if (m_in_string) {
    if (std::exchange(m_is_escaped, false)) return false;
    m_is_escaped = c == '\\';
    m_in_string = c != '"';
    return false;
  }
  m_in_string = c == '"';
  if (c == '{' || c == '[') ++m_depth;
  if (c == '}' || c == ']') --m_depth;
  return m_depth == 0;
}

std::optional<std::vector<ToolCall>> read_json_calls(std::string_view json, const std::string& name,
                                                     bool needs_arguments) {
  const auto parsed = parse_input(json, "call", kCallLimits);
  if (!parsed) return std::nullopt;
  if (!name.empty()) {
    if (!parsed->is_object()) return std::nullopt;
    return std::vector<ToolCall>{call_of(name, *parsed)};
  }
  const Json list = parsed->is_array() ? *parsed : Json::array({*parsed});
  if (list.size() > kMaxListedCalls || list.empty()) return std::nullopt;
  std::vector<ToolCall> calls;
  for (const Json& object : list) {
    auto call = read_call(object, needs_arguments);
    if (!call) return std::nullopt;
    calls.push_back(std::move(*call));
  }
  return calls;
}

std::optional<ToolCall> read_tagged_call(std::string_view body, const ToolSchemas& schemas) {
  body = without_space_around(body);
  return skip_mark(body, kFunctionTag) ? read_function(body, schemas)
                                       : read_argument_tags(body, schemas);
}

}  // namespace quire
