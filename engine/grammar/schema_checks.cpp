#include "engine/grammar/schema_checks.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/io/text.h"

namespace quire {

using namespace schema_type;

namespace {

constexpr int kMaxLookDepth = 8;    ///< Of what is looked into for a comparison.
constexpr int kMaxReferences = 64;  ///< That lead to one another.
/// So many keywords, bytes of a name or values of two enums count as one more comparison.
constexpr size_t kKeywordsCounted = 64;
constexpr size_t kNameBytesCounted = 256;
constexpr size_t kValuesCounted = 64;

using Words = std::vector<std::string_view>;

/// They say nothing of what a value may be.
const Words& annotations() {
  static const Words kWords = {"title",   "description", "default",   "example",  "examples",
                               "$schema", "$id",         "$comment",  "readOnly", "writeOnly",
                               "$defs",   "definitions", "deprecated"};
  return kWords;
}

/// Those of which a schema has at most one, with nothing but annotations beside it. "enum" and
/// "const" may have a "type".
const Words& exclusive() {
  static const Words kWords = {"$ref", "allOf", "anyOf", "oneOf", "enum", "const"};
  return kWords;
}

const Words& restrictions() {
  static const Words kWords = {
      "type",      "properties",  "required",         "additionalProperties",
      "items",     "prefixItems", "minItems",         "maxItems",
      "minLength", "maxLength",   "pattern",          "format",
      "minimum",   "maximum",     "exclusiveMinimum", "exclusiveMaximum"};
  return kWords;
}

bool contains(const Words& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// The values of "enum" or "const"; none if it has neither.
std::span<const SchemaJson> listed_values(const SchemaPart& schema) {
  if (schema.has("const")) return {schema.at("const").json, 1};
  if (!schema.has("enum") || !schema.at("enum").json->is_array()) return {};
  return schema.at("enum").json->get_ref<const SchemaJson::array_t&>();
}

/// Numbers by their nearest double: nlohmann's own order of whole and other numbers is not
/// transitive beyond 2^53, which sorting does not bear.
bool is_less(const SchemaJson* a, const SchemaJson* b) {
  if (a->is_number() && b->is_number()) return a->get<double>() < b->get<double>();
  return *a < *b;
}

/// In n log n, because tools may list 100,000 values. `scalars` holds no array or object.
bool have_common_value(std::span<const SchemaJson> values, std::span<const SchemaJson> scalars) {
  std::vector<const SchemaJson*> sorted;
  for (const SchemaJson& value : scalars) sorted.push_back(&value);
  std::ranges::sort(sorted, is_less);
  return std::ranges::any_of(values, [&](const SchemaJson& value) {
    return std::ranges::binary_search(sorted, &value, is_less);
  });
}

/// The name with "~1" and "~0" read (RFC 6901).
std::string unescaped(std::string_view token) {
  std::string name;
  for (size_t i = 0; i < token.size(); ++i) {
    const bool is_escape = token[i] == '~' && i + 1 < token.size();
    if (is_escape && (token[i + 1] == '0' || token[i + 1] == '1')) {
      name += token[++i] == '0' ? '~' : '/';
    } else {
      name += token[i];
    }
  }
  return name;
}

unsigned type_named(const std::string& name) {
  static constexpr std::pair<std::string_view, unsigned> kTypes[] = {
      {"null", kNull},     {"boolean", kBoolean}, {"object", kObject}, {"array", kArray},
      {"string", kString}, {"integer", kInteger}, {"number", kNumber}};
  for (const auto& [type, bit] : kTypes) {
    if (type == name) return bit;
  }
  return 0;
}

}  // namespace

std::string place_of(const SchemaPart& schema) {
  return " at " + for_message(schema.path) + " of the schema";
}

unsigned types_implied_by(const SchemaPart& schema) {
  static constexpr std::pair<const char*, unsigned> kImplied[] = {
      {"properties", kObject}, {"required", kObject},         {"additionalProperties", kObject},
      {"items", kArray},       {"prefixItems", kArray},       {"minItems", kArray},
      {"maxItems", kArray},    {"minLength", kString},        {"maxLength", kString},
      {"pattern", kString},    {"format", kString},           {"minimum", kNumber},
      {"maximum", kNumber},    {"exclusiveMinimum", kNumber}, {"exclusiveMaximum", kNumber}};
  unsigned types = 0;
  for (const auto& [keyword, type] : kImplied) {
    if (schema.has(keyword)) types |= type;
  }
  return types == 0 ? kAll : types;
}

unsigned type_of_value(const SchemaJson& value) {
  switch (value.type()) {
    case SchemaJson::value_t::null:
      return kNull;
    case SchemaJson::value_t::boolean:
      return kBoolean;
    case SchemaJson::value_t::object:
      return kObject;
    case SchemaJson::value_t::array:
      return kArray;
    case SchemaJson::value_t::string:
      return kString;
    case SchemaJson::value_t::number_float: {
      const auto number = value.get<double>();
      return number == std::floor(number) ? kNumber : kFraction;  // 1.0 is an integer, too.
    }
    default:
      return kInteger;
  }
}

std::optional<unsigned> declared_types(const SchemaPart& schema) {
  if (!schema.has("type")) return kAll;
  const SchemaJson& type = *schema.at("type").json;
  std::span<const SchemaJson> names = {&type, 1};
  if (type.is_array()) names = type.get_ref<const SchemaJson::array_t&>();
  unsigned types = 0;
  for (const SchemaJson& name : names) {
    const unsigned one = name.is_string() ? type_named(name.get<std::string>()) : 0;
    if (one == 0) return std::nullopt;
    types |= one;
  }
  return types == 0 ? std::nullopt : std::optional(types);
}

std::optional<std::string> check_keywords(const SchemaPart& schema) {
  std::string alone;
  std::string other;
  for (const auto& [keyword, value] : schema.json->items()) {
    if (contains(annotations(), keyword)) continue;
    if (keyword == "uniqueItems" && value == false) continue;
    const bool is_exclusive = contains(exclusive(), keyword);
    if (!is_exclusive && !contains(restrictions(), keyword)) {
      return "The keyword \"" + for_message(keyword) + "\"" + place_of(schema) +
             " is not supported.";
    }
    if (is_exclusive && alone.empty()) {
      alone = keyword;
    } else {
      other = keyword;
    }
  }
  const bool lists = alone == "enum" || alone == "const";
  if (alone.empty() || other.empty() || (lists && other == "type")) return std::nullopt;
  return "The keywords \"" + alone + "\" and \"" + other + "\"" + place_of(schema) +
         " are not supported together.";
}

const SchemaJson* SchemaDocument::find(const std::string& reference) const {
  if (reference == "#") return &m_root;
  if (!reference.starts_with("#/")) return nullptr;
  const SchemaJson* found = &m_root;
  std::string_view rest = std::string_view(reference).substr(2);
  for (bool is_last = false; !is_last;) {
    const size_t end = std::min(rest.find('/'), rest.size());
    is_last = end == rest.size();
    const std::string name = unescaped(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (found->is_object()) {
      found = member(*found, name);
      if (found == nullptr) return nullptr;
    } else if (found->is_array() && !name.empty() && name.size() < 6 &&
               std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; })) {
      const auto index = static_cast<size_t>(std::stoi(name));
      if (index >= found->size()) return nullptr;
      found = &(*found)[index];
    } else {
      return nullptr;
    }
  }
  return found;
}

const SchemaJson* SchemaDocument::member(const SchemaJson& object, std::string_view name) const {
  const auto [known, is_new] = m_members.try_emplace(&object);
  Members& members = known->second;
  if (is_new) {
    for (const auto& [key, value] : object.get_ref<const SchemaJson::object_t&>()) {
      members.emplace(key, &value);
    }
  }
  const auto found = members.find(name);
  return found == members.end() ? nullptr : found->second;
}

bool SchemaDocument::requires_property(const SchemaPart& schema, std::string_view name) {
  if (!schema.has("required") || !schema.at("required").json->is_array()) return false;
  const SchemaJson& required = *schema.at("required").json;
  const auto [known, is_new] = m_required.try_emplace(&required);
  if (is_new) {
    for (const SchemaJson& one : required) {
      if (one.is_string()) known->second.insert(one.get_ref<const std::string&>());
    }
  }
  return known->second.contains(name);
}

/// Adds comparisons for an object with so many members that searching it for keywords takes long.
void SchemaDocument::count_keywords(const SchemaPart& schema) {
  if (!schema.json->is_object()) return;
  m_num_compared += static_cast<int>(schema.json->size() / kKeywordsCounted);
}

SchemaPart SchemaDocument::resolve(SchemaPart schema, std::optional<std::string>& wrong) const {
  std::vector<const SchemaJson*> passed;
  const auto found = [&](const SchemaPart& part) {
    for (const SchemaJson* json : passed) m_resolved.emplace(json, part);
    return part;
  };
  for (int i = 0; i < kMaxReferences; ++i) {
    if (!schema.json->is_object()) return found(schema);
    const bool refers = schema.has("$ref");
    if (!refers && !schema.has("allOf")) return found(schema);
    const auto known = m_resolved.find(schema.json);
    if (known != m_resolved.end()) return found(known->second);
    passed.push_back(schema.json);
    wrong = check_keywords(schema);
    if (wrong) return schema;
    if (refers) {
      const SchemaPart reference = schema.at("$ref");
      const SchemaJson* target = reference.json->is_string()
                                     ? find(reference.json->get_ref<const std::string&>())
                                     : nullptr;
      if (target == nullptr) {
        wrong = "\"$ref\"" + place_of(schema) +
                " does not lead to a part of it, such as \"#/$defs/name\".";
        return schema;
      }
      const auto& path = reference.json->get_ref<const std::string&>();
      schema = {target, path.substr(0, SchemaPart::kMaxPathBytes)};
    } else {
      const SchemaPart parts = schema.at("allOf");
      if (!parts.json->is_array() || parts.json->size() != 1) {
        wrong = "\"allOf\"" + place_of(schema) + " is supported with exactly one schema in it.";
        return schema;
      }
      schema = parts.at(0);
    }
  }
  wrong = "\"$ref\"" + place_of(schema) + " refers to itself.";
  return schema;
}

unsigned SchemaDocument::types(const SchemaPart& schema) {
  return types_within(schema, 0);
}

unsigned SchemaDocument::types_within(const SchemaPart& schema, int depth) {
  if (++m_num_compared > kMaxCompared) return kAll;
  std::optional<std::string> wrong;
  const SchemaPart part = resolve(schema, wrong);
  count_keywords(schema);
  count_keywords(part);
  if (wrong || !part.json->is_object() || depth > kMaxLookDepth) return kAll;
  if (const auto known = m_types.find(part.json); known != m_types.end()) return known->second;
  for (const char* alternatives : {"anyOf", "oneOf"}) {
    if (part.has("const") || part.has("enum")) break;
    if (!part.has(alternatives) || !part.at(alternatives).json->is_array()) continue;
    const SchemaPart list = part.at(alternatives);
    unsigned types = 0;
    for (size_t i = 0; i < list.json->size(); ++i) types |= types_within(list.at(i), depth + 1);
    return types;
  }
  return m_types[part.json] = types_of_leaf(part);
}

/// Of a part without alternatives.
unsigned SchemaDocument::types_of_leaf(const SchemaPart& part) {
  if (part.has("const") || part.has("enum")) {
    unsigned types = 0;
    for (const SchemaJson& value : listed_values(part)) types |= type_of_value(value);
    return types;
  }
  return part.has("type") ? declared_types(part).value_or(kAll) : types_implied_by(part);
}

bool SchemaDocument::are_disjoint(const SchemaPart& a, const SchemaPart& b) {
  return are_disjoint_within(a, b, 0);
}

bool SchemaDocument::are_disjoint_within(SchemaPart a, SchemaPart b, int depth) {
  if (++m_num_compared > kMaxCompared || depth > kMaxLookDepth) return false;
  if ((types(a) & types(b)) == 0) return true;
  std::optional<std::string> wrong;
  a = resolve(a, wrong);
  b = resolve(b, wrong);
  count_keywords(a);
  count_keywords(b);
  if (wrong || !a.json->is_object() || !b.json->is_object()) return false;
  for (const char* alternatives : {"anyOf", "oneOf"}) {
    if (!a.has(alternatives) && b.has(alternatives)) std::swap(a, b);
    if (!a.has(alternatives) || !a.at(alternatives).json->is_array()) continue;
    const SchemaPart list = a.at(alternatives);
    for (size_t i = 0; i < list.json->size(); ++i) {
      if (!are_disjoint_within(list.at(i), b, depth + 1)) return false;
    }
    return true;
  }
  const auto of_a = listed_values(a);
  const auto of_b = listed_values(b);
  if (!of_a.empty() && !of_b.empty()) {
    const auto has_parts = [](const SchemaJson& value) { return value.is_structured(); };
    m_num_compared += static_cast<int>((of_a.size() + of_b.size()) / kValuesCounted);
    const bool has_a = std::ranges::any_of(of_a, has_parts);
    if (is_tired() || (has_a && std::ranges::any_of(of_b, has_parts))) return false;
    return !(has_a ? have_common_value(of_a, of_b) : have_common_value(of_b, of_a));
  }
  const bool are_objects = (types(a) & types(b)) == kObject;
  return are_objects && have_disjoint_property(a, b, depth);
}

/// Whether a property that both require tells them apart.
bool SchemaDocument::have_disjoint_property(const SchemaPart& a, const SchemaPart& b, int depth) {
  if (!a.has("properties") || !b.has("properties")) return false;
  const SchemaPart of_a = a.at("properties");
  const SchemaPart of_b = b.at("properties");
  if (!of_a.json->is_object() || !of_b.json->is_object()) return false;
  for (const auto& [name, value] : of_a.json->items()) {
    m_num_compared += 1 + static_cast<int>(name.size() / kNameBytesCounted);
    if (is_tired()) return false;
    const SchemaJson* const other = member(*of_b.json, name);
    if (other == nullptr || !requires_property(a, name) || !requires_property(b, name)) continue;
    const SchemaPart part_of_a = {&value, of_a.path_to(name)};
    if (are_disjoint_within(part_of_a, {other, of_b.path_to(name)}, depth + 1)) return true;
  }
  return false;
}

}  // namespace quire
