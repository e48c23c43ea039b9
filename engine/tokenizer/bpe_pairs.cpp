#include "engine/tokenizer/bpe_pairs.h"

#include "engine/tokenizer/utf8.h"

namespace quire {

size_t BpePairs::next_cut(std::string_view text, size_t i) const {
  if (m_cuts == Cuts::kBetweenBytes || i == text.size()) return i + 1;
  return i + next_utf8(text.substr(i)).length;
}

std::span<const BpePairs::Pair> BpePairs::of(std::string_view text) {
  const size_t cost = 1 + text.size() / kBytesPerStep;
  m_parts.clear();
  for (size_t i = next_cut(text, 0); i < text.size() && m_budget.spend(cost);
       i = next_cut(text, i)) {
    m_parts.push_back(text.substr(0, i));
  }
  m_ids.resize(m_parts.size());
  m_words.find_all(m_parts, m_ids);
  m_pairs.clear();
  for (size_t i = 0; i < m_ids.size(); ++i) {
    if (m_ids[i] < 0 || !m_budget.spend(cost)) continue;
    m_parts[m_pairs.size()] = text.substr(m_parts[i].size());
    m_pairs.push_back({.left = m_ids[i]});
  }
  const size_t count = m_pairs.size();
  m_words.find_all(std::span(m_parts).first(count), std::span(m_ids).first(count));
  for (size_t i = 0; i < count; ++i) m_pairs[i].right = m_ids[i];
  std::erase_if(m_pairs, [](const Pair& pair) { return pair.right < 0; });
  return m_pairs;
}

}  // namespace quire
