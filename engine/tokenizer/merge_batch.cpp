#include "engine/tokenizer/merge_batch.h"

#include <span>

namespace quire {

std::optional<MergeBatch::Missing> MergeBatch::add(std::string_view left, std::string_view right) {
  std::string& joined = m_joined[m_count];
  joined.assign(left).append(right);
  std::string_view* const texts = &m_texts[3 * m_count++];
  texts[0] = left;
  texts[1] = right;
  texts[2] = joined;
  return m_count == kAtOnce ? finish() : std::nullopt;
}

std::optional<MergeBatch::Missing> MergeBatch::finish() {
  const std::span ids = std::span(m_ids).first(3 * m_count);
  m_tokens.find_all(std::span(m_texts).first(ids.size()), ids);
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0) return Missing{m_rank + i / 3, std::string(m_texts[i])};
  }
  for (size_t i = 0; i < m_count; ++i) m_merges.prefetch(ids[3 * i], ids[3 * i + 1]);
  for (size_t i = 0; i < m_count; ++i) {
    const auto rank = static_cast<uint32_t>(m_rank + i);
    m_merges.add(ids[3 * i], ids[3 * i + 1], {rank, ids[3 * i + 2]});
  }
  m_rank += m_count;
  m_count = 0;
  return std::nullopt;
}

}  // namespace quire
