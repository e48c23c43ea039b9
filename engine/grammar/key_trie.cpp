#include "engine/grammar/key_trie.h"

#include <algorithm>

namespace quire {
namespace {

bool is_before(const std::pair<uint8_t, uint32_t>& child, uint8_t byte) {
  return child.first < byte;
}

}  // namespace

void KeyTrie::add(std::string_view name) {
  uint32_t node = kStart;
  for (const char c : name) {
    const auto byte = static_cast<uint8_t>(c);
    auto& children = m_nodes[node].children;
    const auto at = std::lower_bound(children.begin(), children.end(), byte, is_before);
    if (at != children.end() && at->first == byte) {
      node = at->second;
      continue;
    }
    const auto added = static_cast<uint32_t>(m_nodes.size());
    children.insert(at, {byte, added});
    m_nodes.emplace_back();
    node = added;
  }
  m_nodes[node].is_name = true;
}

uint32_t KeyTrie::step(uint32_t position, uint8_t byte) const {
  if (position == kOther) return kOther;
  const auto& children = m_nodes[position].children;
  const auto at = std::lower_bound(children.begin(), children.end(), byte, is_before);
  return at != children.end() && at->first == byte ? at->second : kOther;
}

}  // namespace quire
