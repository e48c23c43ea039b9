#include "engine/scheduler/prefix_transfer.h"

#include <algorithm>
#include <atomic>
#include <climits>
#include <utility>

namespace quire {
namespace {

/// Saved in one step: copying so much takes a few milliseconds.
constexpr size_t kBytesPerStep = size_t{16} << 20;
constexpr std::chrono::milliseconds kIdleWait{5};

/// Shared by all engines of the process, because a store outlives them.
std::atomic<uint64_t> last_ticket = 0;

}  // namespace

PrefixTransfer::PrefixTransfer(std::shared_ptr<PrefixStore> store, BlockCache& cache,
                               CacheStorage& kv, const PrefixTransferLimits& limits)
    : m_store(std::move(store)),
      m_cache(&cache),
      m_kv(&kv),
      m_max_fetched_blocks(kv.layout().blocks_in(limits.max_fetched_bytes)),
      m_max_wait(limits.max_wait) {}

PrefixTransfer::~PrefixTransfer() {
  static_cast<void>(settle());
}

void PrefixTransfer::forget_all() {
  m_unsettled.clear();
  m_incoming.clear();
  m_outgoing.clear();
  m_outgoing_identities.clear();
}

Result<void> PrefixTransfer::make(std::span<const BlockCopy> copies) {
  for (const BlockCopy& copy : copies) {
    if (copy.kind == BlockCopy::Kind::kInPool) {
      m_kv->copy_block(copy.from, copy.to);
      continue;
    }
    const bool to_host = copy.kind == BlockCopy::Kind::kToHost;
    const int place = to_host ? copy.to : copy.from;
    if (auto ready = prepare(place); !ready) return ready;
    const std::span<std::byte> bytes = m_cache->host()->bytes(place);
    if (to_host) {
      m_kv->download_block(copy.from, bytes);
    } else {
      m_kv->upload_block(copy.to, bytes);
    }
  }
  return {};
}

/// Waits until earlier copies of the place's bytes are done. Only steps that restore what they have
/// just evicted, or that cycle through a small host memory, really wait.
Result<void> PrefixTransfer::prepare(int place) {
  if (m_unsettled.contains(place)) {
    if (auto settled = settle(); !settled) return settled;
  }
  m_unsettled.insert(place);
  return {};
}

Result<void> PrefixTransfer::settle() {
  if (m_unsettled.empty()) return {};
  m_unsettled.clear();
  return m_kv->synchronize();
}

void PrefixTransfer::request(Sequence& sequence) {
  if (!m_store || !m_cache->shares_prefixes()) return;
  const BlockTable& table = sequence.table;
  const Wanted wanted = find_wanted(table);
  if (wanted.is_empty()) return;
  const auto first = table.keys().begin() + wanted.first_block;
  std::vector<BlockKey> keys(first, first + wanted.num_blocks);
  if (wanted.has_state) keys.push_back(state_key(table.keys()[size_t(wanted.end()) - 1]));
  sequence.awaits_store = true;
  for (auto& [ticket, incoming] : m_incoming) {
    if (incoming.wanted.first_block == wanted.first_block && incoming.first_key == keys.front()) {
      return incoming.sequences.push_back(sequence.id);
    }
  }
  const uint64_t ticket = ++last_ticket;
  m_incoming[ticket] = {.wanted = wanted,
                        .first_key = keys.front(),
                        .asked = std::chrono::steady_clock::now(),
                        .sequences = {sequence.id}};
  m_store->fetch(ticket, std::move(keys));
}

/// The next portion of what the store has and the table lacks. A sequence with recurrent states can
/// use blocks only if there are states after them, here or in the store.
PrefixTransfer::Wanted PrefixTransfer::find_wanted(const BlockTable& table) const {
  // At least one token is always computed.
  const int usable = (table.num_tokens() - 1) / kBlockSize;
  const auto keys = std::span(table.keys()).first(static_cast<size_t>(usable));
  const int held = m_cache->count_held_blocks(table), stored = m_store->count_stored(keys);
  const StateCache& states = m_cache->states();
  if (!states.exists()) {
    return {held, std::clamp(stored - held, 0, m_max_fetched_blocks), false};
  }
  const int resume = m_cache->count_held(table);
  const auto is_state_stored = [&](int end) {
    const BlockKey key = state_key(keys[static_cast<size_t>(end) - 1]);
    return m_store->count_stored({&key, 1}) == 1;
  };
  int end = std::min(usable, std::max(held, stored));
  while (end > resume && !states.find(table, end - 1) && !is_state_stored(end)) --end;
  if (end <= resume) return {};
  const int first = std::min(held, end), missing = end - first;
  if (missing > m_max_fetched_blocks) return {first, m_max_fetched_blocks, false};
  return {first, missing, !states.find(table, end - 1)};
}

Result<void> PrefixTransfer::receive(Scheduler& scheduler, bool is_idle) {
  if (m_incoming.empty()) return {};
  const auto wait = is_idle ? kIdleWait : std::chrono::milliseconds(0);
  for (PrefixStore::Fetched& fetched : m_store->take_fetched(wait)) {
    const auto incoming = m_incoming.extract(fetched.ticket);
    if (incoming.empty()) continue;
    if (auto adopted = adopt(fetched, incoming.mapped(), scheduler); !adopted) return adopted;
  }
  give_up_waiting(scheduler);
  return {};
}

void PrefixTransfer::give_up_waiting(Scheduler& scheduler) {
  const auto now = std::chrono::steady_clock::now();
  std::erase_if(m_incoming, [&](const auto& entry) {
    const Incoming& incoming = entry.second;
    if (now - incoming.asked < m_max_wait) return false;
    for (const SequenceId id : incoming.sequences) {
      if (Sequence* sequence = scheduler.find(id)) sequence->awaits_store = false;
    }
    return true;
  });
}

Result<void> PrefixTransfer::adopt(const PrefixStore::Fetched& fetched, const Incoming& incoming,
                                   Scheduler& scheduler) {
  bool is_written = false;
  const Wanted& wanted = incoming.wanted;
  for (const SequenceId id : incoming.sequences) {
    Sequence* sequence = scheduler.find(id);
    if (sequence == nullptr) continue;
    const auto blocks = usable(fetched, sequence->table, wanted.first_block);
    const int first = wanted.first_block * kBlockSize;
    if (sequence->stored_end == 0) sequence->stored_begin = first;
    sequence->stored_end = first + static_cast<int>(blocks.size()) * kBlockSize;
    if (!std::exchange(is_written, true)) {
      auto written = write(blocks, *sequence, wanted.first_block);
      if (!written) return written;
      const bool is_whole = static_cast<int>(blocks.size()) == wanted.num_blocks;
      if (wanted.has_state && is_whole && fetched.blocks.size() > blocks.size()) {
        auto done = write_states(fetched.blocks[blocks.size()], sequence->table, wanted.end());
        if (!done) return done;
      }
    }
    sequence->awaits_store = false;
    // The next portion, unless this one was the last, was incomplete or did not fit.
    if (wanted.has_state) continue;
    if (m_cache->count_held_blocks(sequence->table) >= wanted.end()) request(*sequence);
  }
  return {};
}

/// Writes the states after the table's first `num_blocks` blocks to a free slot.
Result<void> PrefixTransfer::write_states(const StoredBlock& stored, const BlockTable& table,
                                          int num_blocks) {
  const int index = num_blocks - 1;
  if (num_blocks < 1 || num_blocks > static_cast<int>(table.keys().size())) return {};
  const BlockKey& block = table.keys()[static_cast<size_t>(index)];
  const bool fits = stored.key == state_key(block) && stored.parent == block &&
                    stored.payload.size() == m_kv->layout().bytes_per_state() &&
                    std::ranges::equal(stored.tokens, table.block_tokens(index));
  if (!fits) return m_store->discard(stored.key), Result<void>();
  const auto slot = m_cache->states().adopt(table, index);
  if (!slot) return {};
  auto done = m_kv->write_state(*slot, stored.payload);
  if (!done) m_cache->states().disown(*slot);
  return done;
}

Result<void> PrefixTransfer::write(std::span<const StoredBlock> blocks, Sequence& sequence,
                                   int first_block) {
  if (blocks.empty()) return {};
  // The blocks before these may be in host memory.
  const auto restored = m_cache->restore(sequence.table, INT_MAX);
  sequence.num_swapped += restored.blocks * kBlockSize;
  const auto places = m_cache->adopt(blocks, sequence.table, first_block);
  Result<void> done = make(m_cache->take_copies());
  for (size_t i = 0; i < places.size(); ++i) {
    if (!places[i]) continue;
    if (done) done = m_kv->write_block(*places[i], blocks[i].payload);
    if (!done) m_cache->disown(*places[i]);
  }
  return done;
}

std::span<const StoredBlock> PrefixTransfer::usable(const PrefixStore::Fetched& fetched,
                                                    const BlockTable& table, int first_block) {
  const size_t bytes = m_kv->layout().bytes_per_block();
  size_t count = 0;
  for (const StoredBlock& block : fetched.blocks) {
    const size_t index = static_cast<size_t>(first_block) + count;
    if (index >= table.keys().size() || table.keys()[index] != block.key) break;
    const int at = static_cast<int>(index);
    const bool fits = block.parent == table.parent_key(at) && block.payload.size() == bytes &&
                      std::ranges::equal(block.tokens, table.block_tokens(at));
    if (!fits) {
      m_store->discard(block.key);
      break;
    }
    ++count;
  }
  return std::span(fetched.blocks).first(count);
}

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
    const auto read_it = next.grandparent ? read_states(next) : read(next.block);
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
    block.payload.resize(m_kv->layout().bytes_per_block());
    if (auto done = m_kv->read_block(*in_pool, block.payload); !done) return done.error();
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

void PrefixTransfer::drop_outgoing(const PrefixOwner& owner) {
  std::erase_if(m_outgoing, [&](const Outgoing& outgoing) {
    if (outgoing.owner != owner) return false;
    m_outgoing_identities.erase(outgoing.identity());
    return true;
  });
}

}  // namespace quire
