#include "engine/tokenizer/word_cache.h"

namespace quire {

std::optional<std::span<const TokenId>> WordCache::find(std::string_view word,
                                                        uint64_t hash) const {
  const size_t mask = m_places.size() - 1;
  for (size_t i = hash & mask;; i = (i + 1) & mask) {
    const Place& place = m_places[i];
    if (place.num_bytes == 0) return std::nullopt;
    if (place.hash != hash || place.num_bytes != word.size()) continue;
    if (std::string_view(m_text.data() + place.text, place.num_bytes) != word) continue;
    return std::span<const TokenId>(m_ids).subspan(place.ids, place.num_ids);
  }
}

void WordCache::grow() {
  std::vector<Place> old(m_places.size() * 2);
  old.swap(m_places);
  const size_t mask = m_places.size() - 1;
  for (const Place& place : old) {
    if (place.num_bytes == 0) continue;
    size_t i = place.hash & mask;
    while (m_places[i].num_bytes != 0) i = (i + 1) & mask;
    m_places[i] = place;
  }
}

void WordCache::insert(std::string_view word, uint64_t hash, std::span<const TokenId> ids) {
  if (word.empty() || word.size() > kMaxWordBytes || m_size == kMaxWords) return;
  if (ids.size() > UINT16_MAX) return;
  if (m_size * 2 >= m_places.size()) grow();
  const size_t mask = m_places.size() - 1;
  size_t i = hash & mask;
  while (m_places[i].num_bytes != 0) i = (i + 1) & mask;
  m_places[i] = {hash, static_cast<uint32_t>(m_text.size()), static_cast<uint32_t>(m_ids.size()),
                 static_cast<uint16_t>(word.size()), static_cast<uint16_t>(ids.size())};
  m_text += word;
  m_ids.insert(m_ids.end(), ids.begin(), ids.end());
  ++m_size;
}

}  // namespace quire
