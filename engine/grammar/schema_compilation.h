#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/grammar/grammar_builder.h"
#include "engine/grammar/schema_checks.h"
#include "kernels/base/result.h"

namespace quire {

/// Turns a schema's parts into rules, one for each part whatever refers to it, so that a schema may
/// refer to itself. Keeps the first error.
/// Thread: one at a time. The document and the builder outlive it.
class SchemaCompilation {
 public:
  using RuleId = grammar::RuleId;

  SchemaCompilation(const SchemaJson& document, GrammarBuilder& builder)
      : m_document(document), m_builder(builder) {}

  /// The rule of the document's values. To be called once. Errors: kInvalidArgument.
  Result<RuleId> compile();
  /// The types of the document's values, as bits of schema_type.
  unsigned types() { return m_document.types(m_document.root()); }
  /// Why GrammarBuilder::finish() found that `rule` says nothing, or that there is too much.
  Error failure(RuleId rule) const;

 private:
  using NodeId = grammar::NodeId;

  struct Property {
    std::string name;
    RuleId value;
    bool is_required = false;
  };
  struct ObjectShape {
    std::vector<Property> properties = {};
    std::optional<RuleId> additional = {};  ///< Of the values of other properties; none: no others.
  };
  struct ArrayShape {
    std::vector<RuleId> prefix = {};
    std::optional<RuleId> rest = {};  ///< Of the items after these; none: there are none.
    uint32_t min = 0;
    uint32_t max = grammar::kNoLimit;
  };

  // schema_compiler.cpp
  RuleId rule_of(const SchemaPart& schema);
  void fill(RuleId rule, const SchemaPart& schema);
  void fill_alternatives(RuleId rule, const SchemaPart& list, bool exactly_one);
  void fill_types(RuleId rule, const SchemaPart& schema);
  void fill_type(RuleId rule, const SchemaPart& schema, unsigned type);
  void fail(std::string message);
  bool has_failed() const { return m_error.has_value() || m_builder.is_full(); }
  /// The value of a keyword that must be a whole number of at least 0.
  std::optional<uint32_t> count(const SchemaPart& schema, const char* keyword);
  /// Nothing fits the rule: a clause that names the keyword and its place.
  void note_impossible(RuleId rule, std::string why) { m_notes.emplace(rule, std::move(why)); }
  /// Nothing fits the rule if nothing fits `part`, unless another alternative does.
  void note_need(RuleId rule, RuleId part) { m_needs.emplace(rule, part); }
  std::string reason(RuleId rule) const;

  // schema_values.cpp
  RuleId any_value();
  void fill_literals(RuleId rule, const SchemaPart& schema);
  void fill_string(RuleId rule, const SchemaPart& schema);
  void fill_pattern(RuleId rule, const SchemaPart& schema, const std::string& pattern);
  void fill_number(RuleId rule, const SchemaPart& schema, bool is_integer);
  std::optional<double> bound(const SchemaPart& schema, const char* keyword);

  // schema_containers.cpp
  void fill_object(RuleId rule, const SchemaPart& schema);
  std::vector<Property> properties_of(const SchemaPart& schema);
  std::vector<std::string> required_names(const SchemaPart& schema);
  void write_object(RuleId rule, const ObjectShape& shape);
  void write_property(RuleId rule, NodeId from, const Property& property, NodeId to);
  void write_other_property(RuleId rule, NodeId from, const ObjectShape& shape, NodeId to);
  void fill_array(RuleId rule, const SchemaPart& schema);
  NodeId write_comma(RuleId rule, NodeId from);
  void write_array(RuleId rule, const ArrayShape& shape);
  void write_rest(RuleId rule, const ArrayShape& shape, NodeId from);

  SchemaDocument m_document;
  GrammarBuilder& m_builder;
  std::map<const SchemaJson*, RuleId> m_rules;
  std::deque<std::pair<RuleId, SchemaPart>> m_pending;
  std::optional<RuleId> m_any;
  std::map<RuleId, std::string> m_notes;
  std::multimap<RuleId, RuleId> m_needs;
  std::optional<Error> m_error;
};

}  // namespace quire
