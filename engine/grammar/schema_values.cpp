// Values without parts: listed ones, strings, numbers.

#include <algorithm>
#include <cmath>

#include "engine/grammar/number_rules.h"
#include "engine/grammar/schema_compilation.h"
#include "engine/grammar/string_pattern.h"
#include "engine/grammar/text_formats.h"
#include "engine/io/text.h"

namespace quire {

using namespace schema_type;
using grammar::NodeId;
using grammar::RuleId;

RuleId SchemaCompilation::any_value() {
  if (m_any) return *m_any;
  m_any = m_builder.add_rule();
  const NodeId start = m_builder.start_of(*m_any);
  const NodeId end = m_builder.end_of(*m_any);
  m_builder.add_call(start, m_builder.string_rule({}), end);
  const auto add = [&](const auto& write) {
    const RuleId rule = m_builder.add_rule();
    write(rule);
    m_builder.add_call(start, rule, end);
  };
  add([&](RuleId rule) { NumberRules(m_builder, rule).write_numbers(); });
  add([&](RuleId rule) { write_object(rule, {.additional = m_any}); });
  add([&](RuleId rule) { write_array(rule, {.rest = m_any}); });
  for (const char* word : {"true", "false", "null"}) {
    m_builder.set_end(m_builder.add_text(start, word));
  }
  return *m_any;
}

/// The listed values of the schema's "type", if it has one, each as JSON without space.
void SchemaCompilation::fill_literals(RuleId rule, const SchemaPart& schema) {
  const bool is_list = !schema.has("const");
  const SchemaPart listed = schema.at(is_list ? "enum" : "const");
  if (is_list && !listed.json->is_array()) {
    return fail("\"enum\"" + place_of(schema) + " is not a list of values.");
  }
  const unsigned types = declared_types(schema).value_or(0);
  if (types == 0) return fail("\"type\"" + place_of(schema) + " is not a type of JSON.");
  const SchemaJson values = is_list ? *listed.json : SchemaJson::array({*listed.json});
  if (values.empty()) return note_impossible(rule, "\"enum\"" + place_of(schema) + " is empty");
  bool has_any = false;
  for (const SchemaJson& value : values) {
    if (has_failed()) return;
    if ((types & type_of_value(value)) == 0) continue;
    has_any = true;
    m_builder.set_end(m_builder.add_text(m_builder.start_of(rule), value.dump()));
  }
  if (has_any) return;
  note_impossible(rule, "no value of \"" + std::string(is_list ? "enum" : "const") + "\"" +
                            place_of(schema) + " is of the \"type\" beside it");
}

void SchemaCompilation::fill_string(RuleId rule, const SchemaPart& schema) {
  const auto min = count(schema, "minLength");
  const auto max = count(schema, "maxLength");
  const char* const spelled = schema.has("pattern") ? "pattern" : "format";
  if (schema.has(spelled)) {
    if (min || max || (schema.has("pattern") && schema.has("format"))) {
      return fail("\"" + std::string(spelled) + "\"" + place_of(schema) +
                  " is not supported together with \"minLength\", \"maxLength\" or another one.");
    }
    const SchemaPart value = schema.at(spelled);
    if (!value.json->is_string()) return fail("The value" + place_of(value) + " is not a string.");
    const auto text = value.json->get<std::string>();
    if (spelled == std::string_view("pattern")) return fill_pattern(rule, schema, text);
    const auto pattern = pattern_of_format(text);
    if (!pattern) {
      return fail("The \"format\" \"" + for_message(text) + "\"" + place_of(schema) +
                  " is not supported.");
    }
    return fill_pattern(rule, schema, *pattern);
  }
  const grammar::StringSpec spec = {
      .length = {.min = min.value_or(0), .max = max.value_or(grammar::kNoLimit)}};
  if (spec.length.min > spec.length.max) {
    return note_impossible(
        rule, "\"minLength\"" + place_of(schema) + " is more than \"maxLength\" there");
  }
  m_builder.add_call(m_builder.start_of(rule), m_builder.string_rule(spec), m_builder.end_of(rule));
}

void SchemaCompilation::fill_pattern(RuleId rule, const SchemaPart& schema,
                                     const std::string& pattern) {
  const auto wrong = StringPattern(m_builder, rule, pattern).write();
  if (wrong) {
    fail("The \"pattern\" \"" + for_message(pattern) + "\"" + place_of(schema) +
         " is not supported: " + *wrong + ".");
  }
}

std::optional<double> SchemaCompilation::bound(const SchemaPart& schema, const char* keyword) {
  if (!schema.has(keyword)) return std::nullopt;
  const SchemaJson& value = *schema.at(keyword).json;
  if (value.is_number()) return value.get<double>();
  fail("\"" + std::string(keyword) + "\"" + place_of(schema) + " is not a number.");
  return std::nullopt;
}

void SchemaCompilation::fill_number(RuleId rule, const SchemaPart& schema, bool is_integer) {
  const auto min = bound(schema, "minimum");
  const auto max = bound(schema, "maximum");
  const auto above = bound(schema, "exclusiveMinimum");
  const auto below = bound(schema, "exclusiveMaximum");
  if (has_failed()) return;
  NumberRules rules(m_builder, rule);
  if (!min && !max && !above && !below && !is_integer) return rules.write_numbers();
  // Within what is written at all, and where doubles count each whole number.
  constexpr double kMost = 9e15;
  const auto is_hard = [&](const std::optional<double>& x) {
    return x && (std::abs(*x) > kMost || (!is_integer && *x != std::floor(*x)));
  };
  if (is_hard(min) || is_hard(max) || is_hard(above) || is_hard(below)) {
    return fail("A bound of the numbers" + place_of(schema) +
                " is not supported; use whole numbers up to 9e15.");
  }
  int64_t low = -NumberRules::kLargest;
  int64_t high = NumberRules::kLargest;
  if (min) low = static_cast<int64_t>(std::ceil(*min));
  if (max) high = static_cast<int64_t>(std::floor(*max));
  bool excludes_low = false;
  bool excludes_high = false;
  if (above && std::floor(*above) >= static_cast<double>(low)) {
    low = static_cast<int64_t>(std::floor(*above)) + (is_integer ? 1 : 0);
    excludes_low = !is_integer;
  }
  if (below && std::ceil(*below) <= static_cast<double>(high)) {
    high = static_cast<int64_t>(std::ceil(*below)) - (is_integer ? 1 : 0);
    excludes_high = !is_integer;
  }
  if (low > high || (low == high && (excludes_low || excludes_high))) {
    const char* const least = excludes_low || (above && !min) ? "exclusiveMinimum" : "minimum";
    const char* const most = excludes_high || (below && !max) ? "exclusiveMaximum" : "maximum";
    return note_impossible(rule, "\"" + std::string(least) + "\" and \"" + most + "\"" +
                                     place_of(schema) + " leave no number");
  }
  if (is_integer) return rules.write_integers(low, high);
  rules.write_numbers(NumberRules::Bound{low, excludes_low},
                      NumberRules::Bound{high, excludes_high});
}

}  // namespace quire
