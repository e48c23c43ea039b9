#include "tests/engine/grammar/random_schemas.h"

#include <algorithm>

namespace quire::test {

using Json = nlohmann::ordered_json;

namespace {

constexpr uint32_t kNumDefinitions = 3;

}  // namespace

Json RandomSchemas::next() {
  Json root = schema(4);
  if (!root.is_object()) root = {{"anyOf", {root}}};
  for (uint32_t i = 0; i < kNumDefinitions; ++i) {
    root["$defs"]["d" + std::to_string(i)] = schema(2);
  }
  return root;
}

std::string RandomSchemas::name() {
  static const char* const kNames[] = {"a", "ab", "name", "한글", "x y", "q\"", "b\\", "id", "n\n"};
  return kNames[below(std::size(kNames))];
}

Json RandomSchemas::schema(int depth) {
  if (depth <= 0) return leaf();
  switch (below(8)) {
    case 0:
    case 1:
      return object(depth);
    case 2:
    case 3:
      return array(depth);
    case 4:
      return alternatives(depth);
    case 5:
      return {{"$ref", "#/$defs/d" + std::to_string(below(kNumDefinitions))}};
    default:
      return leaf();
  }
}

Json RandomSchemas::leaf() {
  switch (below(9)) {
    case 0:
      return Json(true);
    case 1:
      return one_in(4) ? Json(false) : Json({{"type", "boolean"}});
    case 2:
      return {{"type", "null"}};
    case 3:
      return {{"const", value(2)}};
    case 4: {
      Json list = Json::array();
      for (uint32_t i = 1 + below(4); i > 0; --i) list.push_back(value(1));
      return {{"enum", list}};
    }
    case 5:
      return {{"type", {"string", "null"}}, {"maxLength", below(4)}};
    case 6:
      return string();
    default:
      return number();
  }
}

Json RandomSchemas::string() {
  static const char* const kPatterns[] = {"^[a-c]{1,3}$", "^\\d+(\\.\\d{1,2})?$", "x",
                                          "^(yes|no|maybe)$", "[A-Z]-"};
  Json schema = {{"type", "string"}};
  if (one_in(3)) {
    schema["pattern"] = kPatterns[below(std::size(kPatterns))];
    return schema;
  }
  const uint32_t min = below(3);
  if (one_in(2)) schema["minLength"] = min;
  if (one_in(2)) schema["maxLength"] = min + below(20);
  return schema;
}

Json RandomSchemas::number() {
  Json schema = {{"type", one_in(2) ? "integer" : "number"}};
  const int low = static_cast<int>(below(400)) - 200;
  const int high = low + static_cast<int>(below(one_in(2) ? 3 : 3000));
  if (one_in(2)) schema[one_in(2) ? "minimum" : "exclusiveMinimum"] = low;
  if (one_in(2)) schema[one_in(2) ? "maximum" : "exclusiveMaximum"] = high;
  return schema;
}

Json RandomSchemas::value(int depth) {
  switch (below(depth > 0 ? 7 : 5)) {
    case 0:
      return nullptr;
    case 1:
      return one_in(2);
    case 2:
      return static_cast<int>(below(200)) - 100;
    case 3:
      return static_cast<double>(below(100)) / 8.0;
    case 4:
      return name();
    case 5:
      return {{name(), value(depth - 1)}};
    default:
      return Json::array({value(depth - 1), value(depth - 1)});
  }
}

Json RandomSchemas::object(int depth) {
  Json schema = {{"type", "object"}};
  Json required = Json::array();
  for (uint32_t i = below(4); i > 0; --i) {
    const std::string key = name();
    schema["properties"][key] = this->schema(depth - 1);
    if (one_in(2) && std::find(required.begin(), required.end(), Json(key)) == required.end())
      required.push_back(key);
  }
  if (one_in(6)) required.push_back("more");
  if (!required.empty()) schema["required"] = required;
  if (one_in(3)) schema["additionalProperties"] = this->schema(depth - 2);
  return schema;
}

Json RandomSchemas::array(int depth) {
  Json schema = {{"type", "array"}};
  if (one_in(3)) {
    for (uint32_t i = 1 + below(3); i > 0; --i) {
      schema["prefixItems"].push_back(this->schema(depth - 1));
    }
  }
  if (!one_in(3)) schema["items"] = this->schema(depth - 1);
  const uint32_t min = below(3);
  if (one_in(2)) schema["minItems"] = min;
  if (one_in(2)) schema["maxItems"] = min + below(4);
  return schema;
}

Json RandomSchemas::alternatives(int depth) {
  Json list = Json::array();
  for (uint32_t i = 1 + below(3); i > 0; --i) list.push_back(schema(depth - 1));
  if (one_in(6)) return {{"allOf", {schema(depth - 1)}}};
  return {{one_in(4) ? "oneOf" : "anyOf", list}};
}

}  // namespace quire::test
