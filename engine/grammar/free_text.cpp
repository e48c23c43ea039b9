#include "engine/grammar/free_text.h"

#include <algorithm>
#include <utility>

namespace quire {

using grammar::NodeId;

FreeText::FreeText(GrammarBuilder& builder, grammar::RuleId rule, std::vector<Mark> marks)
    : m_builder(builder), m_marks(std::move(marks)), m_prefixes(1) {
  for (const Mark& mark : m_marks) {
    for (size_t size = 1; size < mark.text.size(); ++size) {
      const std::string prefix = mark.text.substr(0, size);
      if (std::ranges::find(m_prefixes, prefix) == m_prefixes.end()) m_prefixes.push_back(prefix);
    }
  }
  for (size_t i = 0; i < m_prefixes.size(); ++i) m_nodes.push_back(builder.add_node(rule));
  for (size_t i = 0; i < m_prefixes.size(); ++i) write(m_nodes[i], m_prefixes[i], {});
}

/// The node after a byte in a text that ends with `prefix`; none: it may not follow.
std::optional<NodeId> FreeText::next(const std::string& prefix, char byte) const {
  const std::string text = prefix + byte;
  const auto ends = [&](const Mark& mark) { return text.ends_with(mark.text); };
  const auto mark = std::ranges::find_if(m_marks, ends);
  if (mark != m_marks.end()) return mark->to;
  size_t longest = 0;
  for (size_t i = 0; i < m_prefixes.size(); ++i) {
    const bool is_longer = m_prefixes[i].size() > m_prefixes[longest].size();
    if (is_longer && text.ends_with(m_prefixes[i])) longest = i;
  }
  return m_nodes[longest];
}

/// One edge for each range of bytes that lead to the same node.
void FreeText::write(NodeId from, const std::string& prefix, std::string_view without) {
  const auto after = [&](int byte) -> std::optional<NodeId> {
    const char c = static_cast<char>(byte);
    if (byte > 255 || without.find(c) != without.npos) return std::nullopt;
    return next(prefix, c);
  };
  int first = 0;
  std::optional<NodeId> target = after(0);
  for (int byte = 1; byte <= 256; ++byte) {
    const auto to = after(byte);
    if (byte < 256 && to == target) continue;
    if (target) {
      m_builder.add_bytes(from, static_cast<uint8_t>(first), static_cast<uint8_t>(byte - 1),
                          *target);
    }
    first = byte;
    target = to;
  }
}

void FreeText::add_beginning(NodeId from, std::string_view without) {
  write(from, {}, without);
}

void FreeText::set_end() {
  for (const NodeId node : m_nodes) m_builder.set_end(node);
}

void FreeText::add_hidden_token(TokenId token) {
  for (const NodeId node : m_nodes) m_builder.add_token(node, token, node);
}

void FreeText::add_token(TokenId token, std::optional<NodeId> to) {
  for (const NodeId node : m_nodes) m_builder.add_token(node, token, to.value_or(start()));
}

}  // namespace quire
