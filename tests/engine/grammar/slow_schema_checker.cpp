#include "tests/engine/grammar/slow_schema_checker.h"

#include <algorithm>
#include <cmath>
#include <regex>
#include <string>

namespace quire::test {
namespace {

using Json = nlohmann::json;

bool has_type(const Json& value, const std::string& type) {
  if (type == "null") return value.is_null();
  if (type == "boolean") return value.is_boolean();
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "number") return value.is_number();
  return value.is_number() && value.get<double>() == std::floor(value.get<double>());
}

bool check_type(const Json& value, const Json& schema) {
  if (!schema.contains("type")) return true;
  const Json& type = schema["type"];
  if (type.is_string()) return has_type(value, type);
  return std::any_of(type.begin(), type.end(),
                     [&](const Json& one) { return has_type(value, one); });
}

size_t num_characters(const std::string& text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

bool check_string(const Json& value, const Json& schema) {
  if (!value.is_string()) return true;
  const auto text = value.get<std::string>();
  const size_t length = num_characters(text);
  if (length < schema.value("minLength", size_t{0})) return false;
  if (length > schema.value("maxLength", ~size_t{0})) return false;
  if (!schema.contains("pattern")) return true;
  return std::regex_search(text, std::regex(schema["pattern"].get<std::string>()));
}

bool check_number(const Json& value, const Json& schema) {
  if (!value.is_number()) return true;
  const auto number = value.get<double>();
  if (schema.contains("minimum") && number < schema["minimum"].get<double>()) return false;
  if (schema.contains("maximum") && number > schema["maximum"].get<double>()) return false;
  if (schema.contains("exclusiveMinimum") && number <= schema["exclusiveMinimum"].get<double>()) {
    return false;
  }
  return !schema.contains("exclusiveMaximum") || number < schema["exclusiveMaximum"].get<double>();
}

bool check_object(const Json& value, const Json& schema, const Json& root) {
  if (!value.is_object()) return true;
  for (const Json& name : schema.value("required", Json::array())) {
    if (!value.contains(name.get<std::string>())) return false;
  }
  const Json properties = schema.value("properties", Json::object());
  for (const auto& [name, part] : value.items()) {
    if (properties.contains(name)) {
      if (!is_valid(part, properties[name], root)) return false;
    } else if (schema.contains("additionalProperties")) {
      if (!is_valid(part, schema["additionalProperties"], root)) return false;
    }
  }
  return true;
}

bool check_array(const Json& value, const Json& schema, const Json& root) {
  if (!value.is_array()) return true;
  if (value.size() < schema.value("minItems", size_t{0})) return false;
  if (value.size() > schema.value("maxItems", ~size_t{0})) return false;
  const Json prefix = schema.value("prefixItems", Json::array());
  for (size_t i = 0; i < value.size(); ++i) {
    if (i < prefix.size()) {
      if (!is_valid(value[i], prefix[i], root)) return false;
    } else if (schema.contains("items")) {
      if (!is_valid(value[i], schema["items"], root)) return false;
    }
  }
  return true;
}

}  // namespace

bool is_valid(const Json& value, const Json& schema, const Json& root) {
  if (schema.is_boolean()) return schema.get<bool>();
  if (schema.contains("$ref")) {
    const auto reference = schema["$ref"].get<std::string>();
    return is_valid(value, root.at(Json::json_pointer(reference.substr(1))), root);
  }
  const auto fits = [&](const Json& part) { return is_valid(value, part, root); };
  if (schema.contains("allOf") && !std::ranges::all_of(schema["allOf"], fits)) return false;
  if (schema.contains("anyOf") && !std::ranges::any_of(schema["anyOf"], fits)) return false;
  if (schema.contains("oneOf") && std::ranges::count_if(schema["oneOf"], fits) != 1) return false;
  if (schema.contains("const") && value != schema["const"]) return false;
  if (schema.contains("enum")) {
    const Json& list = schema["enum"];
    if (std::find(list.begin(), list.end(), value) == list.end()) return false;
  }
  return check_type(value, schema) && check_string(value, schema) && check_number(value, schema) &&
         check_object(value, schema, root) && check_array(value, schema, root);
}

}  // namespace quire::test
