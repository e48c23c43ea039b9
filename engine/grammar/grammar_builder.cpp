#include "engine/grammar/grammar_builder.h"

#include <algorithm>
#include <utility>

#include "engine/io/text.h"

namespace quire {

using grammar::Edge;
using grammar::NodeId;
using grammar::RuleId;

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

void GrammarBuilder::add_token(NodeId from, TokenId token, NodeId to) {
  m_nodes[from].edges.push_back({.low = 1, .high = 0, .target = to, .token = token});
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

/// Bounded, so that no model writes space for ever, nor a weak one much of it: what it has begun to
/// indent it goes on to indent.
RuleId GrammarBuilder::space_rule() {
  if (m_space) return *m_space;
  m_space = add_rule();
  add_byte(start_of(*m_space), ' ', end_of(*m_space));
  const NodeId line = add_node(*m_space);
  add_byte(start_of(*m_space), '\n', line);
  add_byte(line, ' ', line, Edge::Kind::kIndents);
  add_byte(line, '\t', line, Edge::Kind::kIndents);
  set_end(line);
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

std::string GrammarBuilder::why_full() const {
  if (m_nodes.size() > kMaxNodes) {
    return "its names, values and patterns have more than " + with_separators(kMaxNodes) +
           " characters and parts; use fewer or shorter ones";
  }
  return "there are more than " + with_separators(kMaxEntries) +
         " ways from one of its parts to the next; use fewer properties, most of all optional "
         "ones, and fewer alternatives";
}

int32_t GrammarBuilder::add_keys(KeyTrie keys) {
  m_keys.push_back(std::move(keys));
  return static_cast<int32_t>(m_keys.size() - 1);
}

}  // namespace quire
