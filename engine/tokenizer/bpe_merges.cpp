#include "engine/tokenizer/bpe_merges.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "kernels/base/hash_bytes.h"

namespace quire {
namespace {

/// Up to this many symbols, looking through all pairs is quicker than a heap.
constexpr size_t kShortWord = 48;

uint64_t key_of(TokenId left, TokenId right) {
  return (uint64_t{static_cast<uint32_t>(left)} << 32) | static_cast<uint32_t>(right);
}

}  // namespace

size_t BpeMerges::first_place(uint64_t key) const {
  return multiply_and_fold(key ^ kHashSeed.first, kHashSeed.second) >> m_shift;
}

size_t BpeMerges::place_of(uint64_t key) const {
  const size_t mask = m_places.size() - 1;
  size_t i = first_place(key);
  while (m_places[i].key != key && m_places[i].key != UINT64_MAX) i = (i + 1) & mask;
  return i;
}

void BpeMerges::resize(size_t count) {
  std::vector<Place> old(std::bit_ceil(count));
  old.swap(m_places);
  m_shift = 64 - std::countr_zero(m_places.size());
  for (const Place& place : old) {
    if (place.key != UINT64_MAX) m_places[place_of(place.key)] = place;
  }
}

void BpeMerges::reserve(size_t count) {
  if (count * 2 > m_places.size()) resize(std::max<size_t>(64, count * 2));
}

void BpeMerges::add(TokenId left, TokenId right, Merge merge) {
  reserve(m_size + 1);
  Place& place = m_places[place_of(key_of(left, right))];
  if (place.key == UINT64_MAX) ++m_size;
  place = {key_of(left, right), merge};
}

void BpeMerges::prefetch(TokenId left, TokenId right) const {
  if (m_size > 0) __builtin_prefetch(&m_places[first_place(key_of(left, right))], 1);
}

Merge BpeMerges::find(TokenId left, TokenId right) const {
  if (m_places.empty()) return {};
  return m_places[place_of(key_of(left, right))].merge;
}

void BpeMerges::apply(std::vector<TokenId>& symbols, Scratch& scratch) const {
  if (symbols.size() < 2) return;
  if (symbols.size() <= kShortWord) {
    apply_short(symbols);
  } else {
    apply_long(symbols, scratch);
  }
}

void BpeMerges::apply_short(std::vector<TokenId>& symbols) const {
  Merge pairs[kShortWord];
  size_t count = symbols.size();
  for (size_t i = 0; i + 1 < count; ++i) pairs[i] = find(symbols[i], symbols[i + 1]);
  while (count > 1) {
    size_t best = 0;
    for (size_t i = 1; i + 1 < count; ++i) {
      if (pairs[i].rank < pairs[best].rank) best = i;
    }
    if (pairs[best].rank == Merge::kNever) break;
    symbols[best] = pairs[best].id;
    --count;
    for (size_t i = best + 1; i < count; ++i) symbols[i] = symbols[i + 1];
    for (size_t i = best + 1; i + 1 < count; ++i) pairs[i] = pairs[i + 1];
    if (best > 0) pairs[best - 1] = find(symbols[best - 1], symbols[best]);
    if (best + 1 < count) pairs[best] = find(symbols[best], symbols[best + 1]);
  }
  symbols.resize(count);
}

void BpeMerges::push_pair(std::vector<TokenId>& symbols, Scratch& scratch, int32_t left) const {
  const auto at = static_cast<size_t>(left);
  const int32_t right = scratch.next[at];
  Merge& pair = scratch.pairs[at];
  pair = right < 0 ? Merge{} : find(symbols[at], symbols[static_cast<size_t>(right)]);
  if (pair.rank == Merge::kNever) return;
  scratch.heap.push_back((uint64_t{pair.rank} << 32) | static_cast<uint32_t>(left));
  std::push_heap(scratch.heap.begin(), scratch.heap.end(), std::greater<>());
}

/// Entries of the heap are (rank, left symbol). An entry is stale if its pair has another rank now.
void BpeMerges::apply_long(std::vector<TokenId>& symbols, Scratch& scratch) const {
  const auto count = static_cast<int32_t>(symbols.size());
  scratch.heap.clear();
  scratch.pairs.assign(symbols.size(), Merge{});
  scratch.next.resize(symbols.size());
  scratch.previous.resize(symbols.size());
  for (int32_t i = 0; i < count; ++i) {
    scratch.next[static_cast<size_t>(i)] = i + 1 < count ? i + 1 : -1;
    scratch.previous[static_cast<size_t>(i)] = i - 1;
  }
  for (int32_t i = 0; i + 1 < count; ++i) push_pair(symbols, scratch, i);
  while (!scratch.heap.empty()) {
    std::pop_heap(scratch.heap.begin(), scratch.heap.end(), std::greater<>());
    const uint64_t top = scratch.heap.back();
    scratch.heap.pop_back();
    const auto left = static_cast<uint32_t>(top);
    const Merge pair = scratch.pairs[left];
    if (pair.rank != top >> 32) continue;
    const auto right = static_cast<size_t>(scratch.next[left]);
    symbols[left] = pair.id;
    scratch.pairs[right] = {};
    scratch.next[left] = scratch.next[right];
    if (scratch.next[right] >= 0) {
      scratch.previous[static_cast<size_t>(scratch.next[right])] = static_cast<int32_t>(left);
    }
    push_pair(symbols, scratch, static_cast<int32_t>(left));
    if (scratch.previous[left] >= 0) push_pair(symbols, scratch, scratch.previous[left]);
  }
  size_t kept = 0;
  for (int32_t i = 0; i >= 0; i = scratch.next[static_cast<size_t>(i)]) {
    symbols[kept++] = symbols[static_cast<size_t>(i)];
  }
  symbols.resize(kept);
}

}  // namespace quire
