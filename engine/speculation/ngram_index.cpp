#include "engine/speculation/ngram_index.h"

#include <algorithm>
#include <bit>

namespace quire {

void NGramIndex::append(std::span<const TokenId> tokens) {
  for (const TokenId token : tokens) {
    m_tokens.push_back(token);
    m_previous.push_back(-1);
    if (m_tokens.size() > m_latest.size() / 2) {
      grow();
    } else {
      add_pair(m_tokens.size() - 1);
    }
  }
}

NGramIndex::Match NGramIndex::find_end() const {
  Match best;
  if (m_tokens.size() < kLeastMatch) return best;
  int32_t at = m_previous.back();
  for (int looks = 0; at >= 0 && looks < kMaxLooks; ++looks) {
    const int length = match_length(static_cast<size_t>(at));
    if (length > best.length) best = {length, at + 1};
    at = m_previous[static_cast<size_t>(at)];
  }
  return best.length >= kLeastMatch ? best : Match{};
}

std::vector<TokenId> NGramIndex::following(const Match& match, int count) const {
  std::vector<TokenId> found;
  const auto next = static_cast<size_t>(match.next);
  const size_t rest = m_tokens.size() - next;
  for (size_t i = 0; match.length > 0 && std::ssize(found) < count; ++i) {
    found.push_back(i < rest ? m_tokens[next + i] : found[i - rest]);
  }
  return found;
}

size_t NGramIndex::slot_of(size_t last) const {
  const auto id = [&](size_t at) {
    return static_cast<uint64_t>(static_cast<uint32_t>(m_tokens[at]));
  };
  const uint64_t pair = id(last - 1) << 32 | id(last);
  return static_cast<size_t>((pair * 0x9E3779B97F4A7C15u) >> 32) & (m_latest.size() - 1);
}

/// The pair that ends at `last`; a text of one token has none.
void NGramIndex::add_pair(size_t last) {
  if (last == 0) return;
  int32_t& latest = m_latest[slot_of(last)];
  m_previous[last] = latest;
  latest = static_cast<int32_t>(last);
}

void NGramIndex::grow() {
  m_latest.assign(std::bit_ceil(std::max<size_t>(64, 4 * m_tokens.size())), -1);
  for (size_t last = 0; last < m_tokens.size(); ++last) add_pair(last);
}

/// How many tokens up to `at` equal the last ones.
int NGramIndex::match_length(size_t at) const {
  const size_t end = m_tokens.size() - 1;
  int length = 0;
  while (length < kMaxMatch && static_cast<size_t>(length) <= at &&
         m_tokens[at - static_cast<size_t>(length)] ==
             m_tokens[end - static_cast<size_t>(length)]) {
    ++length;
  }
  return length;
}

}  // namespace quire
