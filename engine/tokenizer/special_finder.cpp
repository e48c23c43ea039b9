#include "engine/tokenizer/special_finder.h"

#include <algorithm>

namespace quire {

SpecialFinder::SpecialFinder(const std::vector<std::string>& contents) : m_contents(contents) {
  for (const std::string& content : contents) m_first.set(static_cast<uint8_t>(content[0]));
}

void SpecialFinder::sort() {
  m_sorted.assign(m_contents.begin(), m_contents.end());
  std::sort(m_sorted.begin(), m_sorted.end());
  m_within.reserve(m_sorted.size());
  for (size_t i = 0; i < m_sorted.size(); ++i) {
    // A prefix sorts before this content; contents between the two share that prefix.
    auto within = static_cast<int32_t>(i) - 1;
    while (within >= 0 && !m_sorted[i].starts_with(m_sorted[static_cast<size_t>(within)])) {
      within = m_within[static_cast<size_t>(within)];
    }
    m_within.push_back(within);
  }
}

/// The length of the longest content that `text` begins with: the last content that does not sort
/// after `text`, or a prefix of that one.
size_t SpecialFinder::longest_at(std::string_view text) const {
  const auto after = std::upper_bound(m_sorted.begin(), m_sorted.end(), text);
  auto place = static_cast<int32_t>(after - m_sorted.begin()) - 1;
  if (place < 0) return 0;
  const std::string_view last = m_sorted[static_cast<size_t>(place)];
  const size_t limit = std::min(last.size(), text.size());
  const auto shared = static_cast<size_t>(
      std::mismatch(last.begin(), last.begin() + static_cast<ptrdiff_t>(limit), text.begin())
          .first -
      last.begin());
  while (place >= 0 && m_sorted[static_cast<size_t>(place)].size() > shared) {
    place = m_within[static_cast<size_t>(place)];
  }
  return place < 0 ? 0 : m_sorted[static_cast<size_t>(place)].size();
}

SpecialFinder::Match SpecialFinder::find(std::string_view text, size_t from) {
  for (size_t i = from; i < text.size(); ++i) {
    if (!m_first[static_cast<uint8_t>(text[i])]) continue;
    if (m_sorted.empty()) sort();
    if (const size_t length = longest_at(text.substr(i)); length > 0) return {i, length};
  }
  return {};
}

}  // namespace quire
