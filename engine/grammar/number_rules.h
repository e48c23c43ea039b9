#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/grammar/grammar_builder.h"

namespace quire {

/// Writes a number's rule: decimal, with at most 18 digits before and 18 after the point.
/// Thread: one at a time.
class NumberRules {
 public:
  static constexpr int kMaxDigits = 18;
  static constexpr int64_t kLargest = 999'999'999'999'999'999;

  NumberRules(GrammarBuilder& builder, grammar::RuleId rule)
      : m_builder(builder), m_rule(rule), m_end(builder.end_of(rule)) {}

  struct Bound {
    int64_t value;
    bool is_exclusive = false;
  };
  /// Integers of at least `min` and at most `max`, each at most kLargest from 0.
  void write_integers(int64_t min, int64_t max);
  /// Any number, with an exponent of at most two digits.
  void write_numbers();
  /// Numbers within these bounds, without an exponent.
  void write_numbers(const std::optional<Bound>& min, const std::optional<Bound>& max);

 private:
  using NodeId = grammar::NodeId;

  void write_digits(NodeId from, int64_t low, int64_t high, NodeId to);
  void write_same_length(NodeId from, std::string_view low, std::string_view high, NodeId to);
  void write_at_least(NodeId from, std::string_view low, NodeId to);
  void write_at_most(NodeId from, std::string_view high, bool is_first, NodeId to);
  void write_lengths(NodeId from, size_t shortest, size_t longest, NodeId to);
  void write_side(NodeId from, const Bound& low, const Bound& high);
  void add_digits(NodeId from, char low, char high, NodeId to);
  NodeId any_digits(size_t count, NodeId to);
  NodeId up_to_digits(int count, NodeId to);
  NodeId fraction(NodeId to);
  NodeId positive_fraction(NodeId to);

  GrammarBuilder& m_builder;
  const grammar::RuleId m_rule;
  const NodeId m_end;
  std::map<std::pair<size_t, NodeId>, NodeId> m_any_digits;  ///< By their number and target.
};

}  // namespace quire
