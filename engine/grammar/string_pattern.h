#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/grammar/grammar_builder.h"

namespace quire {

/// Writes the rule of the JSON strings that a regular expression of a schema's "pattern" finds
/// something in: characters, classes, groups, alternatives, quantifiers, "^" at its beginning and
/// "$" at its end. What is not supported is an error. Characters that JSON escapes are written as
/// escapes; "." and negated classes leave out control characters.
/// Thread: one at a time.
class StringPattern {
 public:
  StringPattern(GrammarBuilder& builder, grammar::RuleId rule, std::string_view pattern)
      : m_builder(builder), m_rule(rule), m_pattern(pattern) {}

  /// What is wrong, as a clause ("it has a back reference"); nothing if the rule is written.
  std::optional<std::string> write();

 private:
  using NodeId = grammar::NodeId;
  static constexpr uint32_t kNumAscii = 128;

  /// Characters of a class.
  struct Characters {
    std::bitset<kNumAscii> ascii;
    bool others = false;  ///< All beyond ASCII.
  };
  struct Repeats {
    int min;
    int max;  ///< -1: no limit.
  };

  NodeId add_after(NodeId node);
  NodeId write_alternatives(NodeId from, int depth);
  NodeId write_sequence(NodeId from, int depth);
  NodeId write_repeated(NodeId from, int depth);
  NodeId write_atom(NodeId from, int depth);
  NodeId write_group(NodeId from, int depth);
  NodeId write_literal(NodeId from);
  NodeId write_escaped(NodeId from);
  NodeId write_set(NodeId from, const Characters& set);
  void write_others(NodeId from, NodeId to);
  void write_any(NodeId node);

  std::optional<Repeats> read_repeats();
  std::optional<int> read_number();
  Characters read_class();
  std::optional<uint32_t> read_class_character(Characters& set);
  std::optional<Characters> named_class(char name) const;
  std::optional<uint32_t> read_escape();
  std::optional<uint32_t> read_hex(int digits);

  bool is_at_end() const { return m_at >= m_pattern.size(); }
  bool is_at(char c) const { return !is_at_end() && m_pattern[m_at] == c; }
  bool skip(char c);
  void fail(const char* wrong);
  bool has_failed() const { return m_wrong.has_value() || m_builder.is_full(); }

  GrammarBuilder& m_builder;
  const grammar::RuleId m_rule;
  std::string_view m_pattern;
  size_t m_at = 0;
  bool m_has_top_alternatives = false;
  std::optional<std::string> m_wrong;
};

}  // namespace quire
