#include "engine/grammar/grammar_builder.h"

#include <algorithm>
#include <utility>

namespace quire {

using grammar::Edge;
using grammar::NodeId;
using grammar::RuleId;

namespace {

/// Of white space: as deep as a value within values is usually indented.
constexpr int kMaxIndentation = 32;

}  // namespace

RuleId GrammarBuilder::add_rule() {
  const auto rule = static_cast<RuleId>(m_rules.size());
  m_rules.push_back({0, 0, {}});
  m_rules.back().start = add_node(rule);
  const NodeId end = add_node(rule);
  m_rules.back().end = end;
  m_nodes[end].ends = true;
  return rule;
}

NodeId GrammarBuilder::add_node(RuleId rule) {
  m_nodes.push_back({.rule = rule, .edges = {}, .empty = {}, .calls = {}});
  m_is_full = m_is_full || m_nodes.size() > kMaxNodes;
  return static_cast<NodeId>(m_nodes.size() - 1);
}

void GrammarBuilder::add_bytes(NodeId from, uint8_t low, uint8_t high, NodeId to, Edge::Kind kind) {
  m_nodes[from].edges.push_back({low, high, kind, to});
}

NodeId GrammarBuilder::add_text(NodeId from, std::string_view text) {
  for (const char c : text) {
    if (m_is_full) return from;
    const auto byte = static_cast<uint8_t>(c);
    const auto& edges = m_nodes[from].edges;
    const auto same = std::ranges::find_if(edges, [&](const Edge& edge) {
      return edge.low == byte && edge.high == byte && edge.kind == Edge::Kind::kPlain;
    });
    NodeId next = 0;
    if (same != edges.end()) {
      next = same->target;
    } else {
      next = add_node(m_nodes[from].rule);
      add_byte(from, c, next);
    }
    from = next;
  }
  return from;
}

void GrammarBuilder::add_empty(NodeId from, NodeId to) {
  m_nodes[from].empty.push_back(to);
}

void GrammarBuilder::add_call(NodeId from, RuleId rule, NodeId to) {
  m_nodes[from].calls.push_back({rule, to});
}

void GrammarBuilder::add_space(NodeId from, NodeId to) {
  add_empty(from, to);
  add_call(from, space_rule(), to);
}

/// Bounded, so that no model writes space for ever.
RuleId GrammarBuilder::space_rule() {
  if (m_space) return *m_space;
  m_space = add_rule();
  add_byte(start_of(*m_space), ' ', end_of(*m_space));
  NodeId last = add_node(*m_space);
  add_byte(start_of(*m_space), '\n', last);
  for (int i = 0; i < kMaxIndentation; ++i) {
    const NodeId next = add_node(*m_space);
    set_end(last);
    add_byte(last, ' ', next);
    add_byte(last, '\t', next);
    last = next;
  }
  set_end(last);
  return *m_space;
}

RuleId GrammarBuilder::string_rule(const grammar::StringSpec& spec) {
  if (spec.excluded < 0) {
    const auto known = m_string_rules.find({spec.length.min, spec.length.max});
    if (known != m_string_rules.end()) return known->second;
  }
  const RuleId rule = add_rule();
  const auto index = static_cast<uint32_t>(m_strings.size());
  m_strings.push_back(spec);
  add_byte(start_of(rule), '"', grammar::string_node(index, StringState::kBody));
  if (spec.excluded < 0) m_string_rules[{spec.length.min, spec.length.max}] = rule;
  return rule;
}

int32_t GrammarBuilder::add_keys(KeyTrie keys) {
  m_keys.push_back(std::move(keys));
  return static_cast<int32_t>(m_keys.size() - 1);
}

}  // namespace quire
