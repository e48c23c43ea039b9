// PrefixTransfer: what goes to the store.

#include <algorithm>
#include <utility>

#include "engine/scheduler/prefix_transfer.h"

namespace quire {
namespace {

/// Saved in one step: copying so much takes a few milliseconds.
constexpr size_t kBytesPerStep = size_t{16} << 20;

}  // namespace

void PrefixTransfer::keep(const BlockTable& table, int num_blocks, const PrefixOwner& owner) {
  if (!m_store || !m_cache->shares_prefixes() || !m_store->wants(owner)) return;
  CHECK(num_blocks * kBlockSize <= table.num_computed());
  const auto keys = std::span(table.keys()).first(static_cast<size_t>(num_blocks));
  const int stored = m_store->count_stored(keys);
  if (stored > 0) m_store->touch({keys.begin(), keys.begin() + stored}, owner);
  for (int i = stored; i < num_blocks; ++i) {
    StoredBlock block{.key = keys[static_cast<size_t>(i)], .parent = table.parent_key(i)};
    std::ranges::copy(table.block_tokens(i), block.tokens.begin());
    queue({std::move(block), owner});
  }
  keep_states(table, num_blocks, owner);
  keep_windows(table, num_blocks, owner);
}

/// Queues the window parts that a row after these blocks sees, and of a chat also those that its
/// prompt's last row sees: another answer to it begins there.
void PrefixTransfer::keep_windows(const BlockTable& table, int num_blocks,
                                  const PrefixOwner& owner) {
  const WindowCache& windows = m_cache->windows();
  if (!windows.exists()) return;
  const int end = num_blocks * kBlockSize;
  const bool is_chat = owner.kind == PrefixOwner::Kind::kChat;
  const int prompt = is_chat ? std::min(end, table.states().num_prompt - 1) : end;
  std::vector<BlockKey> stored;
  for (int i = windows.first_needed(prompt); i < num_blocks; ++i) {
    const bool is_of_prompt = i * kBlockSize < prompt;
    if (!is_of_prompt && i < windows.first_needed(end)) continue;
    const BlockKey& block = table.keys()[static_cast<size_t>(i)];
    StoredBlock part{.key = window_key(block), .parent = block};
    if (m_store->count_stored({&part.key, 1}) == 1) {
      stored.push_back(part.key);
    } else if (m_cache->has_window(table, i, true)) {
      std::ranges::copy(table.block_tokens(i), part.tokens.begin());
      queue({std::move(part), owner, table.parent_key(i), true});
    }
  }
  if (!stored.empty()) m_store->touch(std::move(stored), owner);
}

void PrefixTransfer::queue(Outgoing outgoing) {
  if (!m_outgoing_identities.insert(outgoing.identity()).second) return;
  m_outgoing.push_back(std::move(outgoing));
}

/// Queues the states after these blocks. Of a chat only the last ones are stored.
void PrefixTransfer::keep_states(const BlockTable& table, int num_blocks,
                                 const PrefixOwner& owner) {
  const int index = num_blocks - 1;
  if (num_blocks == 0 || !m_cache->states().find(table, index)) return;
  const BlockKey& block = table.keys()[static_cast<size_t>(index)];
  StoredBlock states{.key = state_key(block), .parent = block};
  std::ranges::copy(table.block_tokens(index), states.tokens.begin());
  const BlockKey key = states.key;
  if (owner.kind == PrefixOwner::Kind::kChat) {
    const auto [last, is_new] = m_chat_states.try_emplace(owner.id, key);
    if (!is_new && last->second != key) m_store->discard(std::exchange(last->second, key));
  }
  if (m_store->count_stored({&key, 1}) == 1) return m_store->touch({key}, owner);
  queue({std::move(states), owner, table.parent_key(index)});
}

Result<void> PrefixTransfer::send() {
  // A block moving to host memory has its bytes there only after the copy.
  if (auto made = make(m_cache->take_copies()); !made) return made;
  size_t sent = 0;
  while (sent < kBytesPerStep && !m_outgoing.empty()) {
    Outgoing next = std::move(m_outgoing.front());
    m_outgoing.pop_front();
    m_outgoing_identities.erase(next.identity());
    if (!m_store->wants(next.owner)) {
      drop_outgoing(next.owner);  // The blocks after it are useless without it.
      continue;
    }
    const auto read_it = next.is_window     ? read_window(next)
                         : next.grandparent ? read_states(next)
                                            : read(next.block);
    if (!read_it) return read_it.error();
    if (!*read_it) continue;
    sent += next.block.payload.size();
    m_store->save(std::move(next.block), next.owner);
  }
  return {};
}

/// Fills in the payload; false if the block is neither in the pool nor in host memory.
Result<bool> PrefixTransfer::read(StoredBlock& block) {
  if (const auto in_pool = m_cache->index().find(block.key, block.parent, block.tokens)) {
    block.payload.resize(block_bytes());
    const auto bytes = std::span(block.payload).first(m_kv->layout().bytes_per_block());
    if (auto done = m_kv->read_block(*in_pool, bytes); !done) return done.error();
    return true;
  }
  HostBlockStore* const host = m_cache->host();
  if (host == nullptr) return false;
  const auto in_host = host->find(block.key, block.parent, block.tokens);
  if (!in_host) return false;
  if (auto settled = settle(); !settled) return settled.error();
  const std::span<const std::byte> bytes = host->bytes(*in_host);
  block.payload.assign(bytes.begin(), bytes.end());
  return true;
}

/// The same of states.
Result<bool> PrefixTransfer::read_states(Outgoing& outgoing) {
  StoredBlock& states = outgoing.block;
  const auto slot =
      m_cache->states().pool().index().find(states.parent, *outgoing.grandparent, states.tokens);
  if (!slot) return false;
  states.payload.resize(m_kv->layout().bytes_per_state());
  if (auto done = m_kv->read_state(*slot, states.payload); !done) return done.error();
  return true;
}

/// The same of a window part.
Result<bool> PrefixTransfer::read_window(Outgoing& outgoing) {
  StoredBlock& part = outgoing.block;
  const BlockKey& block = part.parent;
  const auto in_pool = m_cache->index().find(block, *outgoing.grandparent, part.tokens);
  if (const auto slot = in_pool ? m_cache->windows().find(*in_pool) : std::nullopt) {
    part.payload.resize(m_kv->layout().bytes_per_window());
    if (auto done = m_kv->read_window(*slot, part.payload); !done) return done.error();
    return true;
  }
  HostBlockStore* const host = m_cache->windows().sizes().host;
  const auto in_host =
      host != nullptr ? host->find(block, *outgoing.grandparent, part.tokens) : std::nullopt;
  if (!in_host) return false;
  if (auto settled = settle(); !settled) return settled.error();
  const std::span<const std::byte> bytes = host->bytes(*in_host);
  part.payload.assign(bytes.begin(), bytes.end());
  return true;
}

void PrefixTransfer::drop_outgoing(const PrefixOwner& owner) {
  std::erase_if(m_outgoing, [&](const Outgoing& outgoing) {
    if (outgoing.owner != owner) return false;
    m_outgoing_identities.erase(outgoing.identity());
    return true;
  });
}

}  // namespace quire
