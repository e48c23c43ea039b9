#include "engine/grammar/schema_compiler.h"

#include <cmath>
#include <set>

#include "engine/grammar/grammar.h"
#include "engine/grammar/schema_compilation.h"
#include "engine/io/json_file.h"

namespace quire {

using namespace schema_type;

Result<GrammarRules> compile_schema(std::string_view schema) {
  static constexpr JsonLimits kLimits = {.max_bytes = Grammar::kMaxSchemaBytes,
                                         .max_depth = 64,
                                         .max_values = 20'000,
                                         .unique_keys = true};
  const auto document = parse_input(schema, "The schema", kLimits);
  if (!document) {
    return Error{ErrorCode::kInvalidArgument, document.error().message + "."};
  }
  GrammarBuilder builder;
  SchemaCompilation compilation(*document, builder);
  const auto root = compilation.compile();
  if (!root) return root.error();
  auto rules = builder.finish(*root);
  if (!rules) return compilation.failure(*root);
  return std::move(*rules);
}

Result<grammar::RuleId> SchemaCompilation::compile() {
  const RuleId root = rule_of(m_document.root());
  while (!m_pending.empty() && !has_failed()) {
    const auto [rule, schema] = std::move(m_pending.front());
    m_pending.pop_front();
    fill(rule, schema);
  }
  if (has_failed()) return failure(root);
  return root;
}

Error SchemaCompilation::failure(RuleId rule) const {
  if (m_error) return *m_error;
  if (m_builder.is_full()) {
    return {ErrorCode::kInvalidArgument, "The schema is too large: " + m_builder.why_full() + "."};
  }
  const std::string why = reason(rule);
  return {ErrorCode::kInvalidArgument,
          why.empty() ? "The schema describes no value that is nested less than 128 deep."
                      : "The schema describes no value: " + why + "."};
}

/// The first impossible part without which the rule says nothing; empty: none is known.
std::string SchemaCompilation::reason(RuleId rule) const {
  std::set<RuleId> seen = {rule};
  std::vector<RuleId> pending = {rule};
  while (!pending.empty()) {
    const RuleId next = pending.back();
    pending.pop_back();
    const auto note = m_notes.find(next);
    if (note != m_notes.end()) return note->second;
    const auto [first, last] = m_needs.equal_range(next);
    std::vector<RuleId> parts;  // The first one is looked at first.
    for (auto it = first; it != last; ++it) {
      if (m_builder.says_nothing(it->second) && seen.insert(it->second).second) {
        parts.push_back(it->second);
      }
    }
    pending.insert(pending.end(), parts.rbegin(), parts.rend());
  }
  return {};
}

void SchemaCompilation::fail(std::string message) {
  if (!m_error) m_error = Error{ErrorCode::kInvalidArgument, std::move(message)};
}

/// The rule of a part, which is filled later.
grammar::RuleId SchemaCompilation::rule_of(const SchemaPart& schema) {
  std::optional<std::string> wrong;
  const SchemaPart part = m_document.resolve(schema, wrong);
  if (wrong) fail(*wrong);
  const auto known = m_rules.find(part.json);
  if (known != m_rules.end()) return known->second;
  const RuleId rule = m_builder.add_rule();
  m_rules.emplace(part.json, rule);
  m_pending.emplace_back(rule, part);
  return rule;
}

void SchemaCompilation::fill(RuleId rule, const SchemaPart& schema) {
  const SchemaJson& json = *schema.json;
  if (json.is_boolean()) {
    const NodeId start = m_builder.start_of(rule);
    if (!json.get<bool>()) {
      return note_impossible(rule, "false" + place_of(schema) + " allows none");
    }
    return m_builder.add_call(start, any_value(), m_builder.end_of(rule));
  }
  if (!json.is_object()) {
    return fail("The schema" + place_of(schema) + " is not an object.");
  }
  if (auto wrong = check_keywords(schema)) return fail(std::move(*wrong));
  if (schema.has("const") || schema.has("enum")) return fill_literals(rule, schema);
  if (schema.has("anyOf")) return fill_alternatives(rule, schema.at("anyOf"), false);
  if (schema.has("oneOf")) return fill_alternatives(rule, schema.at("oneOf"), true);
  fill_types(rule, schema);
}

void SchemaCompilation::fill_alternatives(RuleId rule, const SchemaPart& list, bool exactly_one) {
  if (!list.json->is_array() || list.json->empty()) {
    return fail("The alternatives" + place_of(list) + " are not a list of schemas.");
  }
  const size_t count = list.json->size();
  for (size_t i = 0; i < count && !has_failed(); ++i) {
    const RuleId one = rule_of(list.at(i));
    m_builder.add_call(m_builder.start_of(rule), one, m_builder.end_of(rule));
    note_need(rule, one);
    for (size_t j = 0; exactly_one && j < i; ++j) {
      if (m_document.are_disjoint(list.at(j), list.at(i))) continue;
      if (m_document.is_tired()) {
        return fail("The alternatives" + place_of(list) +
                    " are too many to be told apart; use \"anyOf\".");
      }
      return fail("Of the alternatives" + place_of(list) + ", numbers " + std::to_string(j + 1) +
                  " and " + std::to_string(i + 1) +
                  " may fit the same value; use \"anyOf\", or a property with another \"const\" "
                  "in each.");
    }
  }
}

void SchemaCompilation::fill_types(RuleId rule, const SchemaPart& schema) {
  const auto declared = declared_types(schema);
  if (!declared) return fail("\"type\"" + place_of(schema) + " is not a type of JSON.");
  unsigned types = schema.has("type") ? *declared : types_implied_by(schema);
  const NodeId start = m_builder.start_of(rule);
  const NodeId end = m_builder.end_of(rule);
  if (types == kAll && !schema.has("type")) return m_builder.add_call(start, any_value(), end);
  if ((types & kFraction) != 0) types &= ~kInteger;
  for (unsigned type = kNull; type <= kFraction && !has_failed(); type *= 2) {
    if (types == type) return fill_type(rule, schema, type);
    if ((types & type) == 0) continue;
    const RuleId one = m_builder.add_rule();
    fill_type(one, schema, type);
    m_builder.add_call(start, one, end);
    note_need(rule, one);
  }
}

void SchemaCompilation::fill_type(RuleId rule, const SchemaPart& schema, unsigned type) {
  const NodeId start = m_builder.start_of(rule);
  switch (type) {
    case kNull:
      return m_builder.set_end(m_builder.add_text(start, "null"));
    case kBoolean:
      m_builder.set_end(m_builder.add_text(start, "true"));
      return m_builder.set_end(m_builder.add_text(start, "false"));
    case kObject:
      return fill_object(rule, schema);
    case kArray:
      return fill_array(rule, schema);
    case kString:
      return fill_string(rule, schema);
    default:
      return fill_number(rule, schema, type == kInteger);
  }
}

std::optional<uint32_t> SchemaCompilation::count(const SchemaPart& schema, const char* keyword) {
  if (!schema.has(keyword)) return std::nullopt;
  const SchemaJson& value = *schema.at(keyword).json;
  const double number = value.is_number() ? value.get<double>() : -1.0;
  if (!(number >= 0.0) || number != std::floor(number)) {
    fail("\"" + std::string(keyword) + "\"" + place_of(schema) +
         " is not a whole number of at least 0.");
    return std::nullopt;
  }
  return static_cast<uint32_t>(std::min(number, 1e9));
}

}  // namespace quire
