#include "engine/cache/host_block_store.h"

#include <algorithm>

namespace quire {
namespace {

/// Allocated at once: pinning so much takes some hundredths of a second.
constexpr size_t kBytesAtOnce = size_t{64} << 20;
/// Limits places to the range of an int.
constexpr uint64_t kMaxBlocks = 1u << 26;

}  // namespace

HostBlockStore::HostBlockStore(Backend& backend, size_t bytes_per_block, uint64_t budget_bytes)
    : m_backend(&backend),
      m_bytes_per_block(bytes_per_block),
      m_max_blocks(std::min(budget_bytes / bytes_per_block, kMaxBlocks)) {}

std::optional<int> HostBlockStore::find(const BlockKey& key, const BlockKey& parent,
                                        std::span<const int32_t> tokens) const {
  const auto it = m_places.find(key);
  if (it == m_places.end()) return std::nullopt;
  const Entry& entry = m_entries[static_cast<size_t>(it->second)];
  if (entry.parent != parent || !std::ranges::equal(entry.tokens, tokens)) return std::nullopt;
  return it->second;
}

std::optional<int> HostBlockStore::add(const BlockKey& key, const BlockKey& parent,
                                       std::span<const int32_t> tokens) {
  CHECK(tokens.size() == kBlockSize);
  if (const auto known = m_places.find(key); known != m_places.end()) {
    touch(known->second);
    return std::nullopt;
  }
  const auto place = allocate_place();
  if (!place) return std::nullopt;
  Entry& entry = m_entries[static_cast<size_t>(*place)];
  entry.key = key;
  entry.parent = parent;
  std::ranges::copy(tokens, entry.tokens.begin());
  entry.position = m_order.insert(m_order.begin(), *place);
  m_places.emplace(key, *place);
  return place;
}

void HostBlockStore::touch(int place) {
  m_order.splice(m_order.begin(), m_order, m_entries[static_cast<size_t>(place)].position);
}

void HostBlockStore::demote(int place) {
  m_order.splice(m_order.end(), m_order, m_entries[static_cast<size_t>(place)].position);
}

std::span<std::byte> HostBlockStore::bytes(int place) {
  return {m_entries.at(static_cast<size_t>(place)).memory, m_bytes_per_block};
}

void HostBlockStore::clear() {
  m_free.insert(m_free.end(), m_order.begin(), m_order.end());
  m_order.clear();
  m_places.clear();
}

std::optional<int> HostBlockStore::allocate_place() {
  if (m_free.empty()) grow();
  if (!m_free.empty()) {
    const int place = m_free.back();
    m_free.pop_back();
    return place;
  }
  if (m_order.empty()) return std::nullopt;
  const int oldest = m_order.back();
  m_order.pop_back();
  m_places.erase(m_entries[static_cast<size_t>(oldest)].key);
  return oldest;
}

void HostBlockStore::grow() {
  const size_t begin = m_entries.size();
  const size_t count =
      std::min(m_max_blocks - begin, std::max<size_t>(1, kBytesAtOnce / m_bytes_per_block));
  if (count == 0) return;
  auto memory = m_backend->allocate_host(count * m_bytes_per_block);
  if (!memory) {
    m_max_blocks = begin;  // No error: what is not kept is computed again.
    return;
  }
  auto* next = static_cast<std::byte*>((*memory)->data());
  m_memory.push_back(std::move(*memory));
  m_entries.resize(begin + count);
  for (size_t i = 0; i < count; ++i, next += m_bytes_per_block) {
    m_entries[begin + i].memory = next;
    m_free.push_back(static_cast<int>(begin + count - 1 - i));
  }
}

}  // namespace quire
