#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/grammar/grammar_rules.h"

namespace quire {

/// Builds a grammar's rules. Every rule reads at least one byte: it begins with an edge, or with
/// calls that are all that it consists of.
/// Thread: one at a time.
class GrammarBuilder {
 public:
  using NodeId = grammar::NodeId;
  using RuleId = grammar::RuleId;

  /// Beyond one of them, is_full() is true and nothing is added.
  static constexpr size_t kMaxNodes = size_t{1} << 17;
  static constexpr size_t kMaxEntries = size_t{1} << 18;
  static constexpr size_t kMaxOpened = 2 * kMaxEntries;

  RuleId add_rule();
  void set_limits(RuleId rule, const grammar::Limits& limits) { m_rules[rule].limits = limits; }
  NodeId start_of(RuleId rule) const { return m_rules[rule].start; }
  /// The node of a rule at which it ends and nothing follows.
  NodeId end_of(RuleId rule) const { return m_rules[rule].end; }
  NodeId add_node(RuleId rule);
  /// The rule may end at this node, too.
  void set_end(NodeId node) { m_nodes[node].ends = true; }

  void add_bytes(NodeId from, uint8_t low, uint8_t high, NodeId to,
                 grammar::Edge::Kind kind = grammar::Edge::Kind::kPlain);
  void add_byte(NodeId from, char byte, NodeId to,
                grammar::Edge::Kind kind = grammar::Edge::Kind::kPlain) {
    add_bytes(from, static_cast<uint8_t>(byte), static_cast<uint8_t>(byte), to, kind);
  }
  /// Taken by this special token alone.
  void add_token(NodeId from, TokenId token, NodeId to);
  /// A chain of bytes, whose beginning is shared with other chains from the same node. Returns its
  /// last node.
  NodeId add_text(NodeId from, std::string_view text);
  void add_empty(NodeId from, NodeId to);
  void add_call(NodeId from, RuleId rule, NodeId to);
  /// At most one space, or a line break and as much indentation as the value is deep.
  void add_space(NodeId from, NodeId to);
  /// A quoted string; equal ones are one rule.
  RuleId string_rule(const grammar::StringSpec& spec);
  /// The keys of StringSpec::excluded.
  int32_t add_keys(KeyTrie keys);

  bool is_full() const { return m_is_full; }
  /// Which limit was exceeded, as a clause.
  std::string why_full() const;

  enum class Begins { kAfterSpace, kAtOnce };
  /// The rules that say what `root` says, with space before it or without. None if it says nothing,
  /// that is if no text has an end, or if is_full(). To be called once.
  std::optional<GrammarRules> finish(RuleId root, Begins begins = Begins::kAfterSpace);
  /// Whether the rule says nothing: no text of it has an end. After finish().
  bool says_nothing(RuleId rule) const;

 private:
  struct Call {
    RuleId rule;
    NodeId to;
  };
  struct Node {
    RuleId rule;
    bool ends = false;
    std::vector<grammar::Edge> edges;
    std::vector<NodeId> empty;
    std::vector<Call> calls;
  };
  struct Rule {
    NodeId start;
    NodeId end;
    grammar::Limits limits;
  };
  /// Where an entry's expansion has come to.
  struct Opening {
    NodeId node;
    uint32_t returns;  ///< In m_lists.
    bool keeps_count;
    auto operator<=>(const Opening&) const = default;
  };
  /// A list of nodes to return to: the list before, and its last node.
  struct List {
    uint32_t before;
    NodeId last;
  };
  static constexpr uint32_t kEmptyList = ~0u;

  bool is_tail(NodeId node) const;
  bool is_new(const Opening& opening, NodeId from);
  void find_heights();
  void write_node(GrammarRules& rules, NodeId node);
  void write_entries(GrammarRules& rules, NodeId node);
  void write_entry(GrammarRules& rules, const Opening& opening);
  std::vector<Opening> open(NodeId node);
  uint32_t list_of(uint32_t before, NodeId last);
  RuleId space_rule();

  std::vector<Node> m_nodes;
  std::vector<Rule> m_rules;
  std::vector<grammar::StringSpec> m_strings;
  std::vector<KeyTrie> m_keys;
  std::map<std::pair<uint32_t, uint32_t>, RuleId> m_string_rules;  ///< By length.
  std::optional<RuleId> m_space;
  bool m_is_full = false;

  // Of finish().
  size_t m_num_opened = 0;
  /// By whether the count is kept, and by node: the last node that was opened to it.
  std::vector<NodeId> m_opened_from[2];
  std::set<Opening> m_opened;       ///< Of the node that is being opened: those that return.
  std::vector<uint32_t> m_heights;  ///< By node.
  std::vector<List> m_lists;
  std::map<std::pair<uint32_t, NodeId>, uint32_t> m_list_numbers;
};

}  // namespace quire
