#include "engine/tokenizer/added_token_matcher.h"

#include <algorithm>

#include "engine/io/text.h"
#include "engine/tokenizer/unicode_text.h"

namespace quire {

void AddedTokenMatcher::add(const AddedTokenRule& rule) {
  if (rule.content.empty() || rule.content.size() > kMaxContentBytes) return;
  m_is_full = m_is_full || m_nodes.size() + rule.content.size() > kMaxNodes;
  if (m_is_full) return;
  int32_t* link = &m_roots[static_cast<uint8_t>(rule.content[0])];
  for (size_t i = 1;; ++i) {
    const bool is_new = *link < 0;
    if (is_new) *link = static_cast<int32_t>(m_nodes.size());
    const auto at = static_cast<size_t>(*link);
    if (is_new) m_nodes.emplace_back();  // Moves the nodes, and what `link` points to.
    Node& node = m_nodes[at];
    if (i == rule.content.size()) {
      if (node.rule >= 0) return;
      node.rule = static_cast<int32_t>(m_rules.size());
      m_rules.push_back(rule);
      return;
    }
    const auto byte = static_cast<uint8_t>(rule.content[i]);
    auto child = std::find_if(node.children.begin(), node.children.end(),
                              [&](const auto& entry) { return entry.first == byte; });
    if (child == node.children.end()) child = node.children.insert(child, {byte, -1});
    link = &child->second;
  }
}

Error AddedTokenMatcher::too_many() {
  return {ErrorCode::kUnsupported, "its special and added tokens are together longer than the " +
                                       with_separators(kMaxNodes) + " bytes that Quire reads"};
}

int32_t AddedTokenMatcher::longest_at(std::string_view text, size_t at) const {
  int32_t longest = -1;
  int32_t node = m_roots[static_cast<uint8_t>(text[at])];
  while (node >= 0) {
    const Node& here = m_nodes[static_cast<size_t>(node)];
    if (here.rule >= 0) longest = here.rule;
    if (++at == text.size()) break;
    const auto byte = static_cast<uint8_t>(text[at]);
    const auto child = std::find_if(here.children.begin(), here.children.end(),
                                    [&](const auto& entry) { return entry.first == byte; });
    node = child == here.children.end() ? -1 : child->second;
  }
  return longest;
}

std::optional<AddedTokenMatcher::Match> AddedTokenMatcher::accept(std::string_view text,
                                                                  size_t begin,
                                                                  const AddedTokenRule& rule,
                                                                  size_t used) const {
  size_t end = begin + rule.content.size();
  if (rule.is_special) return std::nullopt;
  if (rule.single_word) {
    if (begin > 0 && is_word_character(last_character(text.substr(0, begin)))) return std::nullopt;
    if (end < text.size() && is_word_character(first_character(text.substr(end)))) {
      return std::nullopt;
    }
  }
  if (rule.takes_before) begin -= trailing_space_bytes(text.substr(used, begin - used));
  if (rule.takes_after) end += leading_space_bytes(text.substr(end));
  return Match{begin, end, rule.id};
}

std::optional<AddedTokenMatcher::Match> AddedTokenMatcher::find(std::string_view text, size_t from,
                                                                size_t used) const {
  for (size_t i = std::max(from, used); i < text.size(); ++i) {
    if (m_roots[static_cast<uint8_t>(text[i])] < 0) continue;
    const int32_t found = longest_at(text, i);
    if (found < 0) continue;
    const AddedTokenRule& rule = m_rules[static_cast<size_t>(found)];
    if (auto match = accept(text, i, rule, used)) return match;
    i += rule.content.size() - 1;
  }
  return std::nullopt;
}

}  // namespace quire
