#include "engine/grammar/state_walk.h"

#include <algorithm>

namespace quire {

using grammar::Edge;
using grammar::Entry;
using grammar::kMaxHeight;
using grammar::NodeId;

void StateWalk::begin(const std::vector<GrammarPosition>& returns) {
  m_returns = returns;
  m_return_numbers.clear();
  for (size_t i = 0; i < returns.size(); ++i) {
    m_return_numbers.emplace(returns[i], static_cast<uint32_t>(i));
  }
  m_positions.clear();
  m_sets.assign(1, {0, 0, kNone});
  m_set_numbers.clear();
  m_next.clear();
  m_current.clear();
  m_work = 0;
}

/// The number of the set that has been made.
StateWalk::SetId StateWalk::number_current() {
  if (m_current.empty()) return kEmptySet;
  m_work += 20 + 2 * m_current.size();
  size_t hash = m_current.size();
  for (const GrammarPosition& position : m_current) {
    hash = hash * 31 + GrammarPositionHash()(position);
  }
  const auto [first, last] = m_set_numbers.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    if (std::ranges::equal(positions(it->second), m_current)) {
      m_current.clear();
      return it->second;
    }
  }
  const auto set = static_cast<SetId>(m_sets.size());
  m_sets.push_back({m_positions.size(), m_current.size(), kNone});
  m_positions.insert(m_positions.end(), m_current.begin(), m_current.end());
  m_set_numbers.emplace(hash, set);
  m_current.clear();
  return set;
}

StateWalk::SetId StateWalk::place(const GrammarPosition& position) {
  add(position);
  return number_current();
}

StateWalk::SetId StateWalk::open() {
  arrive({.node = m_rules.start()});
  return number_current();
}

StateWalk::SetId StateWalk::leave(const GrammarPosition& position) {
  end_rule(position);
  return number_current();
}

StateWalk::SetId StateWalk::step(SetId from, uint8_t byte) {
  ++m_work;
  if (from == kEmptySet) return kEmptySet;
  if (m_sets[from].row == kNone) {
    m_sets[from].row = static_cast<uint32_t>(m_next.size());
    m_next.emplace_back().fill(kNone);
    m_work += 128;  // A kilobyte.
  }
  const uint32_t row = m_sets[from].row;
  if (m_next[row][byte] != kNone) return m_next[row][byte];
  const size_t size = m_sets[from].size;
  for (size_t i = 0; i < size; ++i) {
    const GrammarPosition position = m_positions[m_sets[from].begin + i];
    ++m_work;
    if (grammar::is_string(position.node)) {
      step_string(position, byte);
    } else if (position.node != grammar::kFinished) {
      step_edges(position, byte);
    }
  }
  return m_next[row][byte] = number_current();
}

StateWalk::SetId StateWalk::take(SetId from, TokenId token) {
  const size_t size = m_sets[from].size;
  for (size_t i = 0; i < size; ++i) {
    const GrammarPosition position = m_positions[m_sets[from].begin + i];
    ++m_work;
    if (grammar::is_string(position.node) || position.node == grammar::kFinished) continue;
    for (const Edge& edge : m_rules.edges(position.node)) {
      if (edge.token == token) pass(edge, position);
    }
  }
  return number_current();
}

void StateWalk::step_string(const GrammarPosition& position, uint8_t byte) {
  const StringState state = grammar::state_of(position.node);
  const StringState next = string_step(state, byte);
  if (next == StringState::kDead) return;
  const uint32_t index = grammar::string_of(position.node);
  const grammar::StringSpec& spec = m_rules.string(index);
  const bool excludes = spec.excluded >= 0;
  if (next == StringState::kClosed) {
    const bool may_end = excludes ? !m_rules.keys(spec.excluded).is_name(position.count)
                                  : position.count >= spec.length.min;
    if (may_end) end_rule(position);
    return;
  }
  GrammarPosition moved = position;
  moved.node = grammar::string_node(index, next);
  if (excludes) {
    if (next == StringState::kEscape) return;
    moved.count = m_rules.keys(spec.excluded).step(position.count, byte);
  } else if (state == StringState::kBody) {
    if (position.count >= spec.length.max) return;
    moved.count = spec.length.next(position.count);
  }
  add(moved);
}

void StateWalk::step_edges(const GrammarPosition& position, uint8_t byte) {
  const std::span<const Edge> edges = m_rules.edges(position.node);
  m_work += edges.size() / 4;
  for (const Edge& edge : edges) {
    if (byte >= edge.low && byte <= edge.high) pass(edge, position);
  }
}

/// Adds what a position becomes by an edge, unless its count forbids it.
void StateWalk::pass(const Edge& edge, const GrammarPosition& position) {
  GrammarPosition moved = position;
  moved.node = edge.target;
  const grammar::Limits& limits = m_rules.limits(position.node);
  switch (edge.kind) {
    case Edge::Kind::kPlain:
      break;
    case Edge::Kind::kCounts:
      if (position.count >= limits.max) return;
      moved.count = limits.next(position.count);
      break;
    case Edge::Kind::kCloses:
      if (position.count < limits.min) return;
      break;
    case Edge::Kind::kIndents:
      if (position.count >= grammar::kIndentation * position.height) return;
      ++moved.count;
      break;
  }
  if (grammar::is_string(moved.node)) {
    moved.count = 0;
    add(moved);
  } else if (moved.height + m_rules.node(moved.node).height <= kMaxHeight) {
    arrive(moved);
  }
}

/// Adds what a position becomes without a further byte.
void StateWalk::arrive(GrammarPosition position) {
  for (;;) {
    if (!m_rules.edges(position.node).empty()) add(position);
    for (const Entry& entry : m_rules.entries(position.node)) enter(entry, position);
    if (!m_rules.node(position.node).ends) return;
    if (position.parent == GrammarPosition::kOutermost) {
      return add({.node = grammar::kFinished});
    }
    position = m_returns[position.parent];
  }
}

void StateWalk::enter(const Entry& entry, const GrammarPosition& position) {
  if (position.height + entry.height > kMaxHeight) return;
  GrammarPosition entered = position;
  if (!entry.keeps_count) entered.count = 0;
  for (const NodeId node : m_rules.returns(entry)) {
    entered.node = node;
    entered.parent = add_return(entered);
    entered.count = 0;
    ++entered.height;
  }
  entered.node = entry.node;
  add(entered);
}

void StateWalk::end_rule(const GrammarPosition& position) {
  if (position.parent == GrammarPosition::kOutermost) return add({.node = grammar::kFinished});
  arrive(m_returns[position.parent]);
}

void StateWalk::add(const GrammarPosition& position) {
  m_work += 1 + m_current.size() / 8;
  if (m_current.size() >= kMaxPositions) return;
  if (std::ranges::find(m_current, position) == m_current.end()) m_current.push_back(position);
}

/// The number of a return; equal ones have the same, so that sets are found again.
uint32_t StateWalk::add_return(const GrammarPosition& position) {
  m_work += 16;
  const auto [known, is_new] =
      m_return_numbers.try_emplace(position, static_cast<uint32_t>(m_returns.size()));
  if (is_new) m_returns.push_back(position);
  return known->second;
}

}  // namespace quire
