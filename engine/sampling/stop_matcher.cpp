#include "engine/sampling/stop_matcher.h"

#include <algorithm>

namespace quire {

StopMatcher::StopMatcher(std::span<const std::string> stops) : m_nodes(1) {
  for (size_t i = 0; i < stops.size(); ++i) {
    m_lengths.push_back(stops[i].size());
    if (!stops[i].empty()) add_stop(stops[i], static_cast<int>(i));
  }
  link();
}

void StopMatcher::add_stop(const std::string& stop, int index) {
  int node = 0;
  for (const char byte : stop) {
    int child = child_of(node, byte);
    if (child < 0) {
      child = static_cast<int>(m_nodes.size());
      m_nodes[static_cast<size_t>(node)].children.emplace_back(byte, child);
      m_nodes.push_back({.children = {}, .depth = m_nodes[static_cast<size_t>(node)].depth + 1});
    }
    node = child;
  }
  // Of equal stops the first is reported.
  int& stop_of_node = m_nodes[static_cast<size_t>(node)].stop;
  if (stop_of_node < 0) stop_of_node = index;
}

/// Breadth first, so that a node's fallback, which is shorter, is complete before it.
void StopMatcher::link() {
  std::vector<int> queue = {0};
  for (size_t i = 0; i < queue.size(); ++i) {
    const int node = queue[i];
    for (const auto& [byte, child] : m_nodes[static_cast<size_t>(node)].children) {
      link_child(node, byte, child);
      queue.push_back(child);
    }
  }
}

void StopMatcher::link_child(int parent, char byte, int child) {
  Node& node = m_nodes[static_cast<size_t>(child)];
  if (parent != 0) node.fallback = next(m_nodes[static_cast<size_t>(parent)].fallback, byte);
  const Node& shorter = m_nodes[static_cast<size_t>(node.fallback)];
  node.alive_depth = node.children.empty() ? shorter.alive_depth : node.depth;
  if (node.stop < 0) node.stop = shorter.stop;
}

int StopMatcher::child_of(int node, char byte) const {
  for (const auto& [label, child] : m_nodes[static_cast<size_t>(node)].children) {
    if (label == byte) return child;
  }
  return -1;
}

int StopMatcher::next(int node, char byte) const {
  for (;;) {
    const int child = child_of(node, byte);
    if (child >= 0) return child;
    if (node == 0) return 0;
    node = m_nodes[static_cast<size_t>(node)].fallback;
  }
}

void StopMatcher::note_match() {
  const int stop = m_nodes[static_cast<size_t>(m_state)].stop;
  if (stop < 0) return;
  const auto index = static_cast<size_t>(stop);
  const uint64_t begin = m_position - m_lengths[index];
  if (!m_match || begin <= m_match->begin) m_match = Match{begin, index};
}

/// Whether no stop that is still coming can begin at or before the one that was seen.
bool StopMatcher::is_decided() const {
  if (!m_match) return false;
  const Node& node = m_nodes[static_cast<size_t>(m_state)];
  return m_position - static_cast<uint64_t>(node.alive_depth) > m_match->begin;
}

std::string StopMatcher::take_until(uint64_t end) {
  const auto count = static_cast<size_t>(end - m_held_begin);
  std::string text = m_held.substr(0, count);
  m_held.erase(0, count);
  m_held_begin = end;
  return text;
}

std::string StopMatcher::push(std::string_view piece) {
  if (m_done) return {};
  for (const char byte : piece) {
    m_held += byte;
    ++m_position;
    m_state = next(m_state, byte);
    note_match();
    if (is_decided()) return finish();
  }
  const Node& node = m_nodes[static_cast<size_t>(m_state)];
  uint64_t safe = m_position - static_cast<uint64_t>(node.alive_depth);
  if (m_match) safe = std::min(safe, m_match->begin);
  return take_until(safe);
}

std::string StopMatcher::finish() {
  if (m_done) return {};
  m_done = m_match.has_value();
  std::string text = take_until(m_match ? m_match->begin : m_position);
  m_held.clear();
  return text;
}

std::optional<size_t> StopMatcher::matched_stop() const {
  if (!m_done) return std::nullopt;
  return m_match->stop;
}

}  // namespace quire
