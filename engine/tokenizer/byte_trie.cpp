#include "engine/tokenizer/byte_trie.h"

#include <algorithm>
#include <deque>
#include <functional>

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

uint64_t ByteTrie::head_of(std::string_view text) {
  uint64_t head = 0;
  for (size_t i = 0; i < sizeof head; ++i) {
    head = head << 8 | (i < text.size() ? static_cast<uint8_t>(text[i]) : 0);
  }
  return head;
}

std::optional<std::string> ByteTrie::sort_entries() {
  std::ranges::stable_sort(m_entries, std::less<>());
  const auto is_same = [](const Entry& a, const Entry& b) { return a.text == b.text; };
  const auto twice = std::ranges::adjacent_find(m_entries, is_same);
  if (twice == m_entries.end()) return std::nullopt;
  std::string repeated(twice->text);
  m_entries.erase(std::unique(m_entries.begin(), m_entries.end(), is_same), m_entries.end());
  return repeated;
}

std::optional<std::string> ByteTrie::finish() {
  std::optional<std::string> repeated = sort_entries();
  // In their order, because each level of the trie looks at all of them again.
  std::string texts;
  texts.reserve(m_num_bytes);
  for (Entry& entry : m_entries) {
    texts += entry.text;
    entry.text = std::string_view(texts).substr(texts.size() - entry.text.size());
  }
  make_nodes();
  m_entries = decltype(m_entries)();  // Unlike {}, this frees the memory.
  return repeated;
}

void ByteTrie::make_nodes() {
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
}

std::optional<TokenId> ByteTrie::find(std::string_view text) const {
  std::optional<TokenId> found;
  for_each_prefix(text, [&](size_t length, TokenId id) {
    if (length == text.size()) found = id;
  });
  return found;
}

uint32_t ByteTrie::child(uint32_t node, uint8_t byte) const {
  const Node* const begin = m_nodes.data() + m_nodes[node].first_child;
  const Node* const end = begin + m_nodes[node].num_children;
  const Node* const found = std::lower_bound(
      begin, end, byte, [](const Node& child, uint8_t wanted) { return child.byte < wanted; });
  return found == end || found->byte != byte ? 0 : static_cast<uint32_t>(found - m_nodes.data());
}

}  // namespace quire
