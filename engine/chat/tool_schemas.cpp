#include "engine/chat/tool_schemas.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/io/json_file.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

/// Of one argument that a model wrote.
constexpr JsonLimits kArgumentLimits = {.max_bytes = 1 << 20, .max_values = 20'000};

const Json* schema_member(const Json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto at = object.find(name);
  return at == object.end() ? nullptr : &*at;
}

/// Whether the values that a schema describes may be texts.
bool describes_text(const Json& schema) {
  if (const Json* type = schema_member(schema, "type")) {
    if (type->is_array()) return std::ranges::find(*type, Json("string")) != type->end();
    return *type == "string";
  }
  for (const char* variants : {"anyOf", "oneOf"}) {
    const Json* list = schema_member(schema, variants);
    if (list == nullptr || !list->is_array()) continue;
    return std::ranges::any_of(*list, [](const Json& variant) {
      const Json* type = schema_member(variant, "type");
      return type != nullptr && *type == "string";
    });
  }
  const Json* values = schema_member(schema, "enum");
  return values != nullptr && values->is_array() && !values->empty() &&
         std::ranges::all_of(*values, [](const Json& value) { return value.is_string(); });
}

}  // namespace

ToolSchemas::ToolSchemas(std::string_view tools) {
  const auto list = parse_input(tools, "tools");
  if (!list || !list->is_array()) return;
  for (const Json& tool : *list) {
    const Json* function = schema_member(tool, "function");
    const Json& described = function == nullptr ? tool : *function;
    const Json* name = schema_member(described, "name");
    if (name == nullptr || !name->is_string()) continue;
    auto& arguments = m_tools[name->get<std::string>()];
    const Json* parameters = schema_member(described, "parameters");
    const Json* properties =
        parameters == nullptr ? nullptr : schema_member(*parameters, "properties");
    if (properties == nullptr || !properties->is_object()) continue;
    for (const auto& [argument, schema] : properties->items()) {
      arguments[argument] = describes_text(schema);
    }
  }
}

Json ToolSchemas::value_of(const std::string& tool, const std::string& argument,
                           std::string_view written) const {
  const auto known = m_tools.find(tool);
  if (known != m_tools.end()) {
    const auto type = known->second.find(argument);
    if (type != known->second.end() && type->second) return Json(written);
  }
  if (written == "True") return Json(true);
  if (written == "False") return Json(false);
  if (written == "None") return Json(nullptr);
  auto value = parse_input(written, "argument", kArgumentLimits);
  return value ? std::move(*value) : Json(written);
}

}  // namespace quire
