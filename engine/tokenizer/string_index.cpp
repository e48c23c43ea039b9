#include "engine/tokenizer/string_index.h"

#include <algorithm>

#include "kernels/base/check.h"

namespace quire {

size_t StringIndex::place_of(std::string_view bytes, uint32_t hash) const {
  const size_t mask = m_places.size() - 1;
  for (size_t i = hash & mask;; i = (i + 1) & mask) {
    const Place& place = m_places[i];
    if (place.id < 0) return i;
    if (place.hash != hash || place.length != bytes.size()) continue;
    if (std::string_view(m_text).substr(place.offset, place.length) == bytes) return i;
  }
}

void StringIndex::grow() {
  std::vector<Place> old(std::max<size_t>(64, m_places.size() * 2));
  old.swap(m_places);
  const size_t mask = m_places.size() - 1;
  for (const Place& place : old) {
    if (place.id < 0) continue;
    size_t i = place.hash & mask;
    while (m_places[i].id >= 0) i = (i + 1) & mask;
    m_places[i] = place;
  }
}

bool StringIndex::insert(std::string_view bytes, TokenId id) {
  CHECK(id >= 0 && m_text.size() + bytes.size() <= UINT32_MAX);
  if (m_size * 2 >= m_places.size()) grow();
  const uint32_t hash = hash_of(bytes);
  Place& place = m_places[place_of(bytes, hash)];
  if (place.id >= 0) return false;
  place = {hash, static_cast<uint32_t>(m_text.size()), static_cast<uint32_t>(bytes.size()), id};
  m_text += bytes;
  m_max_bytes = std::max(m_max_bytes, bytes.size());
  ++m_size;
  return true;
}

std::optional<TokenId> StringIndex::find(std::string_view bytes) const {
  if (m_size == 0 || bytes.size() > m_max_bytes) return std::nullopt;
  const Place& place = m_places[place_of(bytes, hash_of(bytes))];
  return place.id < 0 ? std::nullopt : std::optional(place.id);
}

}  // namespace quire
