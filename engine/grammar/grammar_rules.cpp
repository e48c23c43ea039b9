// How a grammar's finished rules are computed from what was built.

#include "engine/grammar/grammar_rules.h"

#include <algorithm>
#include <utility>

#include "engine/grammar/grammar_builder.h"
#include "kernels/base/check.h"

namespace quire {

using grammar::kMaxHeight;
using grammar::NodeId;
using grammar::RuleId;

namespace {

/// Of what has no end within kMaxHeight.
constexpr uint32_t kEndless = kMaxHeight + 1;
constexpr NodeId kNone = ~0u;

/// A way from `node` to its rule's end: through `next`, for a call after all of the rule that
/// starts at `called`.
struct Way {
  NodeId node;
  NodeId next;
  NodeId called = kNone;
};

}  // namespace

/// Whether nothing follows a call that returns here, so that it need not return.
bool GrammarBuilder::is_tail(NodeId node) const {
  const Node& n = m_nodes[node];
  return n.ends && n.edges.empty() && n.empty.empty() && n.calls.empty();
}

/// The heights of all nodes, the least first (Knuth's generalisation of Dijkstra's algorithm).
void GrammarBuilder::find_heights() {
  m_heights.assign(m_nodes.size(), kEndless);
  std::vector<std::vector<Way>> ways(m_nodes.size());  // By each of the nodes that they lead to.
  std::vector<std::vector<NodeId>> found(kMaxHeight + 1);
  const auto improve = [&](NodeId node, uint32_t height) {
    if (height >= m_heights[node]) return;
    m_heights[node] = height;
    found[height].push_back(node);
  };
  for (NodeId node = 0; node < m_nodes.size(); ++node) {
    const Node& n = m_nodes[node];
    if (n.ends) improve(node, 0);
    for (const grammar::Edge& edge : n.edges) {
      if (grammar::is_string(edge.target)) {
        improve(node, 0);
      } else {
        ways[edge.target].push_back({node, edge.target});
      }
    }
    for (const NodeId next : n.empty) ways[next].push_back({node, next});
    for (const Call& call : n.calls) {
      const NodeId start = start_of(call.rule);
      const bool returns = !is_tail(call.to);
      ways[start].push_back({node, returns ? call.to : start, returns ? start : kNone});
      if (returns) ways[call.to].push_back({node, call.to, start});
    }
  }
  for (uint32_t height = 0; height <= kMaxHeight; ++height) {
    for (size_t i = 0; i < found[height].size(); ++i) {
      const NodeId reached = found[height][i];
      if (m_heights[reached] != height) continue;
      for (const Way& way : ways[reached]) {
        const uint32_t called = way.called == kNone ? 0 : m_heights[way.called] + 1;
        improve(way.node, std::max(m_heights[way.next], called));
      }
    }
  }
}

uint32_t GrammarBuilder::list_of(uint32_t before, NodeId last) {
  const auto [at, is_new] =
      m_list_numbers.try_emplace({before, last}, static_cast<uint32_t>(m_lists.size()));
  if (is_new) m_lists.push_back({before, last});
  return at->second;
}

/// Whether an opening of `from` is seen for the first time.
bool GrammarBuilder::is_new(const Opening& opening, NodeId from) {
  if (opening.returns != kEmptyList) return m_opened.insert(opening).second;
  NodeId& last = m_opened_from[opening.keeps_count ? 1 : 0][opening.node];
  return std::exchange(last, from) != from;
}

/// Everything that a node becomes without a byte, itself first.
std::vector<GrammarBuilder::Opening> GrammarBuilder::open(NodeId node) {
  std::vector<Opening> openings;
  m_opened.clear();
  std::vector<Opening> pending = {{node, kEmptyList, true}};
  while (!pending.empty() && m_num_opened <= kMaxOpened) {
    const Opening opening = pending.back();
    pending.pop_back();
    ++m_num_opened;
    if (m_heights[opening.node] > kMaxHeight || !is_new(opening, node)) continue;
    openings.push_back(opening);
    const Node& n = m_nodes[opening.node];
    std::vector<Opening> next;  // The first alternative is opened first.
    for (const NodeId empty : n.empty) {
      next.push_back({empty, opening.returns, opening.keeps_count});
    }
    for (const Call& call : n.calls) {
      const bool is_outermost = opening.returns == kEmptyList;
      if (is_tail(call.to)) {
        next.push_back(
            {start_of(call.rule), opening.returns, opening.keeps_count && !is_outermost});
      } else if (m_heights[call.to] <= kMaxHeight) {
        next.push_back(
            {start_of(call.rule), list_of(opening.returns, call.to), opening.keeps_count});
      }
    }
    pending.insert(pending.end(), next.rbegin(), next.rend());
  }
  return openings;
}

void GrammarBuilder::write_entry(GrammarRules& rules, const Opening& opening) {
  std::vector<NodeId> returns;
  for (uint32_t list = opening.returns; list != kEmptyList; list = m_lists[list].before) {
    returns.insert(returns.begin(), m_lists[list].last);
  }
  size_t height = returns.size() + m_heights[opening.node];
  for (size_t i = 0; i < returns.size(); ++i) height = std::max(height, i + m_heights[returns[i]]);
  if (height > kMaxHeight) return;
  rules.m_entries.push_back({.node = opening.node,
                             .first_return = static_cast<uint32_t>(rules.m_returns.size()),
                             .num_returns = static_cast<uint16_t>(returns.size()),
                             .height = static_cast<uint16_t>(height),
                             .keeps_count = opening.keeps_count});
  rules.m_returns.insert(rules.m_returns.end(), returns.begin(), returns.end());
}

void GrammarBuilder::write_entries(GrammarRules& rules, NodeId node) {
  const Node& n = m_nodes[node];
  if (n.empty.empty() && n.calls.empty()) return;
  for (const Opening& opening : open(node)) {
    if (opening.node == node && opening.returns == kEmptyList && opening.keeps_count) continue;
    const bool is_own = opening.returns == kEmptyList && opening.keeps_count;
    if (is_own && m_nodes[opening.node].ends) rules.m_nodes[node].ends = true;
    if (!m_nodes[opening.node].edges.empty()) write_entry(rules, opening);
  }
  const bool is_large = rules.m_entries.size() > kMaxEntries || m_num_opened > kMaxOpened;
  m_is_full = m_is_full || is_large;
}

void GrammarBuilder::write_node(GrammarRules& rules, NodeId node) {
  const Node& n = m_nodes[node];
  rules.m_nodes.push_back({.first_edge = static_cast<uint32_t>(rules.m_edges.size()),
                           .first_entry = static_cast<uint32_t>(rules.m_entries.size()),
                           .limits = n.rule,
                           .height = static_cast<uint16_t>(m_heights[node]),
                           .ends = n.ends});
  for (const grammar::Edge& edge : n.edges) {
    const bool is_live = grammar::is_string(edge.target) || m_heights[edge.target] <= kMaxHeight;
    if (is_live) rules.m_edges.push_back(edge);
  }
  write_entries(rules, node);
}

bool GrammarBuilder::says_nothing(RuleId rule) const {
  return m_heights[start_of(rule)] > kMaxHeight;
}

std::optional<GrammarRules> GrammarBuilder::finish(RuleId root, Begins begins) {
  const RuleId text = add_rule();
  const NodeId value = add_node(text);
  if (begins == Begins::kAfterSpace) {
    add_space(start_of(text), value);
  } else {
    add_empty(start_of(text), value);
  }
  add_call(value, root, end_of(text));
  find_heights();
  for (auto& nodes : m_opened_from) nodes.assign(m_nodes.size(), kNone);
  GrammarRules rules;
  for (NodeId node = 0; node < m_nodes.size() && !m_is_full; ++node) write_node(rules, node);
  if (m_is_full || m_heights[start_of(text)] > kMaxHeight) return std::nullopt;
  rules.m_nodes.push_back({.first_edge = static_cast<uint32_t>(rules.m_edges.size()),
                           .first_entry = static_cast<uint32_t>(rules.m_entries.size())});
  for (const Rule& rule : m_rules) {
    CHECK(!m_nodes[rule.start].ends);  // Rules read something.
    rules.m_limits.push_back(rule.limits);
  }
  rules.m_strings = m_strings;
  rules.m_keys = m_keys;
  rules.m_start = start_of(text);
  return rules;
}

}  // namespace quire
