#include "engine/tokenizer/string_index.h"

#include <algorithm>
#include <array>
#include <bit>

#include "kernels/base/check.h"

namespace quire {
namespace {

constexpr size_t kMinPlaces = 64;

}  // namespace

size_t StringIndex::place_of(std::string_view bytes, uint32_t hash) const {
  const size_t mask = m_places.size() - 1;
  for (size_t i = hash & mask;; i = (i + 1) & mask) {
    const Place& place = m_places[i];
    if (place.id < 0) return i;
    if (place.hash != hash || place.length != bytes.size()) continue;
    if (std::string_view(m_text).substr(place.offset, place.length) == bytes) return i;
  }
}

void StringIndex::resize(size_t num_places) {
  std::vector<Place> old(num_places);
  old.swap(m_places);
  const size_t mask = m_places.size() - 1;
  for (const Place& place : old) {
    if (place.id < 0) continue;
    size_t i = place.hash & mask;
    while (m_places[i].id >= 0) i = (i + 1) & mask;
    m_places[i] = place;
  }
}

void StringIndex::reserve(size_t count) {
  const size_t num_places = std::bit_ceil(std::max(kMinPlaces, 2 * count));
  if (num_places > m_places.size()) resize(num_places);
}

bool StringIndex::insert(std::string_view bytes, TokenId id) {
  CHECK(id >= 0 && m_text.size() + bytes.size() <= UINT32_MAX);
  if (m_size * 2 >= m_places.size()) resize(std::max(kMinPlaces, m_places.size() * 2));
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

void StringIndex::find_all(std::span<const std::string_view> texts, std::span<TokenId> ids) const {
  std::ranges::fill(ids, -1);
  if (m_size == 0) return;
  constexpr size_t kAtOnce = 32;
  std::array<uint32_t, kAtOnce> hashes{};
  const size_t mask = m_places.size() - 1;
  for (size_t begin = 0; begin < texts.size(); begin += kAtOnce) {
    const size_t count = std::min(kAtOnce, texts.size() - begin);
    for (size_t i = 0; i < count; ++i) {
      hashes[i] = hash_of(texts[begin + i]);
      __builtin_prefetch(&m_places[hashes[i] & mask]);
    }
    for (size_t i = 0; i < count; ++i) {
      __builtin_prefetch(m_text.data() + m_places[hashes[i] & mask].offset);
    }
    for (size_t i = 0; i < count; ++i) {
      ids[begin + i] = m_places[place_of(texts[begin + i], hashes[i])].id;
    }
  }
}

}  // namespace quire
