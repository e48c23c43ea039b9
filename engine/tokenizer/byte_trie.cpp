#include "engine/tokenizer/byte_trie.h"

#include <algorithm>
#include <deque>

namespace quire {

size_t ByteTrie::count_nodes() const {
  size_t count = 1;  // The root.
  std::string_view last;
  for (const Entry& entry : m_entries) {
    const std::string_view text = entry.text;
    const auto shared = std::ranges::mismatch(text, last).in1 - text.begin();
    count += text.size() - static_cast<size_t>(shared);
    last = text;
  }
  return count;
}

std::optional<std::string> ByteTrie::finish() {
  std::ranges::stable_sort(m_entries, {}, &Entry::text);
  std::optional<std::string> repeated;
  const auto twice = std::ranges::adjacent_find(m_entries, {}, &Entry::text);
  if (twice != m_entries.end()) {
    repeated = twice->text;
    const auto is_same = [](const Entry& a, const Entry& b) { return a.text == b.text; };
    m_entries.erase(std::unique(m_entries.begin(), m_entries.end(), is_same), m_entries.end());
  }
  m_nodes.reserve(count_nodes());
  // Level by level: each node stands for the entries [begin, end), which share `depth` bytes.
  struct Range {
    size_t begin;
    size_t end;
    size_t depth;
  };
  std::deque<Range> ranges = {{0, m_entries.size(), 0}};  // Of the nodes from this one on.
  for (size_t node = 0; node < m_nodes.size(); ++node) {
    auto [begin, end, depth] = ranges.front();
    ranges.pop_front();
    if (begin < end && m_entries[begin].text.size() == depth)
      m_nodes[node].id = m_entries[begin++].id;
    m_nodes[node].first_child = static_cast<uint32_t>(m_nodes.size());
    for (size_t i = begin; i < end;) {
      const char byte = m_entries[i].text[depth];
      const size_t first = i;
      while (i < end && m_entries[i].text[depth] == byte) ++i;
      ranges.push_back({first, i, depth + 1});
      m_nodes.push_back({.byte = static_cast<uint8_t>(byte)});
      ++m_nodes[node].num_children;
    }
  }
  m_entries = {};
  return repeated;
}

uint32_t ByteTrie::child(uint32_t node, uint8_t byte) const {
  const Node* const begin = m_nodes.data() + m_nodes[node].first_child;
  const Node* const end = begin + m_nodes[node].num_children;
  const Node* const found = std::lower_bound(
      begin, end, byte, [](const Node& child, uint8_t wanted) { return child.byte < wanted; });
  return found == end || found->byte != byte ? 0 : static_cast<uint32_t>(found - m_nodes.data());
}

}  // namespace quire
