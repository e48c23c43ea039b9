// Objects and arrays.

#include <algorithm>
#include <set>

#include "engine/grammar/schema_compilation.h"
#include "engine/io/text.h"

namespace quire {

using grammar::Edge;
using grammar::NodeId;
using grammar::RuleId;

namespace {

/// A name as JSON writes it, with its quotes.
std::string quoted(const std::string& name) {
  return SchemaJson(name).dump();
}

}  // namespace

std::vector<std::string> SchemaCompilation::required_names(const SchemaPart& schema) {
  std::vector<std::string> names;
  if (!schema.has("required")) return names;
  const SchemaPart required = schema.at("required");
  const auto is_name = [](const SchemaJson& name) { return name.is_string(); };
  if (!required.json->is_array() || !std::ranges::all_of(*required.json, is_name)) {
    fail("The value" + place_of(required) + " is not a list of names.");
    return names;
  }
  for (const SchemaJson& name : *required.json) names.push_back(name.get<std::string>());
  return names;
}

std::vector<SchemaCompilation::Property> SchemaCompilation::properties_of(
    const SchemaPart& schema) {
  std::vector<Property> properties;
  if (!schema.has("properties")) return properties;
  const SchemaPart all = schema.at("properties");
  if (!all.json->is_object()) {
    fail("The value" + place_of(all) + " is not an object of schemas.");
    return properties;
  }
  for (const auto& [name, value] : all.json->items()) {
    if (has_failed()) break;
    properties.push_back({name, rule_of({&value, all.path_to(name)})});
  }
  return properties;
}

/// Without "additionalProperties" there are only those that are named, unless none is: models
/// otherwise add what nobody asked for.
void SchemaCompilation::fill_object(RuleId rule, const SchemaPart& schema) {
  ObjectShape shape = {.properties = properties_of(schema)};
  if (schema.has("additionalProperties")) {
    const SchemaPart others = schema.at("additionalProperties");
    if (*others.json != false) shape.additional = rule_of(others);
  } else if (!schema.has("properties")) {
    shape.additional = any_value();
  }
  const std::vector<std::string> names = required_names(schema);
  std::set<std::string> required(names.begin(), names.end());
  for (Property& property : shape.properties) {
    property.is_required = required.erase(property.name) > 0;
  }
  for (const std::string& name : names) {
    if (required.erase(name) == 0) continue;  // Named above, or twice.
    const bool may_be_any = shape.additional || !schema.has("additionalProperties");
    if (!may_be_any) {
      return fail("\"required\"" + place_of(schema) + " names \"" + for_message(name) +
                  "\", which \"additionalProperties\" forbids.");
    }
    shape.properties.push_back({.name = name,
                                .value = shape.additional ? *shape.additional : any_value(),
                                .is_required = true});
  }
  if (!has_failed()) write_object(rule, shape);
}

void SchemaCompilation::write_property(RuleId rule, NodeId from, const Property& property,
                                       NodeId to) {
  const NodeId key = m_builder.add_node(rule);
  m_builder.add_empty(from, key);
  const NodeId colon = m_builder.add_text(key, quoted(property.name) + ":");
  const NodeId value = m_builder.add_node(rule);
  m_builder.add_space(colon, value);
  m_builder.add_call(value, property.value, to);
}

/// Other keys are read without escapes, so that none repeats a named one in another spelling.
void SchemaCompilation::write_other_property(RuleId rule, NodeId from, const ObjectShape& shape,
                                             NodeId to) {
  grammar::StringSpec key;
  if (!shape.properties.empty()) {
    KeyTrie names;
    for (const Property& property : shape.properties) names.add(property.name);
    key.excluded = m_builder.add_keys(std::move(names));
  }
  const NodeId after = m_builder.add_node(rule);
  const NodeId colon = m_builder.add_node(rule);
  const NodeId value = m_builder.add_node(rule);
  m_builder.add_call(from, m_builder.string_rule(key), after);
  m_builder.add_byte(after, ':', colon);
  m_builder.add_space(colon, value);
  m_builder.add_call(value, *shape.additional, to);
}

/// Before property i, the last of which stands for all others: `first` after the brace, `next`
/// after a comma. The key is the same for both.
void SchemaCompilation::write_object(RuleId rule, const ObjectShape& shape) {
  const size_t count = shape.properties.size();
  std::vector<NodeId> first, next, keys, comma, after;
  for (size_t i = 0; i <= count; ++i) {
    for (auto* nodes : {&first, &next, &keys, &comma, &after}) {
      nodes->push_back(m_builder.add_node(rule));
    }
  }
  const NodeId opened = m_builder.add_node(rule);
  m_builder.add_byte(m_builder.start_of(rule), '{', opened);
  m_builder.add_space(opened, first[0]);
  size_t last_required = 0;  // One more than its index.
  for (size_t i = 0; i <= count && !has_failed(); ++i) {
    m_builder.add_empty(first[i], keys[i]);
    m_builder.add_empty(next[i], keys[i]);
    m_builder.add_space(comma[i], next[i]);
    if (i == count) break;
    const Property& property = shape.properties[i];
    write_property(rule, keys[i], property, after[i + 1]);
    if (property.is_required) {
      note_need(rule, property.value);
      last_required = i + 1;
      continue;
    }
    m_builder.add_empty(first[i], first[i + 1]);
    m_builder.add_empty(next[i], next[i + 1]);
  }
  if (shape.additional) write_other_property(rule, keys[count], shape, after[count]);
  m_builder.add_byte(first[count], '}', m_builder.end_of(rule));
  for (size_t i = 0; i <= count; ++i) {
    // `after[i]`: properties up to i have been read or left out.
    m_builder.add_byte(after[i], ',', comma[i]);
    if (i < last_required) continue;
    const NodeId closing = m_builder.add_node(rule);
    m_builder.add_space(after[i], closing);
    m_builder.add_byte(closing, '}', m_builder.end_of(rule));
  }
}

void SchemaCompilation::fill_array(RuleId rule, const SchemaPart& schema) {
  ArrayShape shape;
  shape.min = count(schema, "minItems").value_or(0);
  shape.max = count(schema, "maxItems").value_or(grammar::kNoLimit);
  if (schema.has("prefixItems")) {
    const SchemaPart prefix = schema.at("prefixItems");
    if (!prefix.json->is_array()) return fail("The value" + place_of(prefix) + " is not a list.");
    for (size_t i = 0; i < prefix.json->size() && !has_failed(); ++i) {
      shape.prefix.push_back(rule_of(prefix.at(i)));
    }
  }
  if (schema.has("items")) {
    const SchemaPart items = schema.at("items");
    if (items.json->is_array()) {
      return fail("\"items\"" + place_of(schema) + " is a list; use \"prefixItems\".");
    }
    if (*items.json != false) shape.rest = rule_of(items);
  } else if (shape.prefix.empty() || shape.prefix.size() < shape.min) {
    shape.rest = any_value();
  }
  if (shape.prefix.size() > shape.max) shape.prefix.resize(shape.max);
  if (shape.prefix.size() == shape.max) shape.rest.reset();
  if (shape.min > shape.max) {
    return note_impossible(rule,
                           "\"minItems\"" + place_of(schema) + " is more than \"maxItems\" there");
  }
  if (!shape.rest && shape.min > shape.prefix.size()) {
    return note_impossible(rule,
                           "\"minItems\"" + place_of(schema) + " is more items than there may be");
  }
  if (!has_failed()) write_array(rule, shape);
}

/// The node after a comma, and the space that may follow it, from `from`.
NodeId SchemaCompilation::write_comma(RuleId rule, NodeId from) {
  const NodeId comma = m_builder.add_node(rule);
  const NodeId next = m_builder.add_node(rule);
  m_builder.add_byte(from, ',', comma);
  m_builder.add_space(comma, next);
  return next;
}

void SchemaCompilation::write_array(RuleId rule, const ArrayShape& shape) {
  const NodeId end = m_builder.end_of(rule);
  NodeId item = m_builder.add_node(rule);  // Before the next one.
  const NodeId opened = m_builder.add_node(rule);
  m_builder.add_byte(m_builder.start_of(rule), '[', opened);
  m_builder.add_space(opened, item);
  if (shape.min == 0) {
    const NodeId closing = m_builder.add_node(rule);
    m_builder.add_empty(item, closing);
    m_builder.add_byte(closing, ']', end);
  }
  for (size_t i = 0; i < shape.prefix.size() && !has_failed(); ++i) {
    const NodeId after = m_builder.add_node(rule);
    m_builder.add_call(item, shape.prefix[i], after);
    if (i < shape.min) note_need(rule, shape.prefix[i]);
    if (i + 1 >= shape.min) {
      const NodeId closing = m_builder.add_node(rule);
      m_builder.add_space(after, closing);
      m_builder.add_byte(closing, ']', end);
    }
    item = write_comma(rule, after);
  }
  if (!shape.rest) return;
  write_rest(rule, shape, item);
  if (shape.min > shape.prefix.size()) note_need(rule, *shape.rest);
}

/// The items after the prefix, of which the commas between them are counted. Both the bracket and a
/// comma may follow space, since before the minimum only a comma may.
void SchemaCompilation::write_rest(RuleId rule, const ArrayShape& shape, NodeId from) {
  const auto num_prefix = static_cast<uint32_t>(shape.prefix.size());
  const uint32_t min = shape.min > num_prefix ? shape.min - num_prefix - 1 : 0;
  const bool is_bounded = shape.max != grammar::kNoLimit;
  const uint32_t max = is_bounded ? shape.max - num_prefix - 1 : grammar::kNoLimit;
  m_builder.set_limits(rule, {.min = min, .max = max});
  const NodeId item = m_builder.add_node(rule);
  const NodeId after = m_builder.add_node(rule);
  const NodeId next = m_builder.add_node(rule);
  const NodeId comma = m_builder.add_node(rule);
  m_builder.add_empty(from, item);
  m_builder.add_call(item, *shape.rest, after);
  m_builder.add_space(after, next);
  m_builder.add_byte(next, ']', m_builder.end_of(rule), Edge::Kind::kCloses);
  m_builder.add_byte(next, ',', comma, Edge::Kind::kCounts);
  m_builder.add_space(comma, item);
}

}  // namespace quire
