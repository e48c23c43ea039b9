#include "engine/scheduler/prefix_transfer.h"

#include <algorithm>
#include <atomic>
#include <climits>
#include <utility>

namespace quire {
namespace {

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
  for (auto& places : m_unsettled) places.clear();
  m_incoming.clear();
  m_outgoing.clear();
  m_outgoing_identities.clear();
}

Result<void> PrefixTransfer::make(std::span<const BlockCopy> copies) {
  for (const BlockCopy& copy : copies) {
    if (copy.kind != BlockCopy::Kind::kInPool) {
      if (auto made = make_host_copy(copy); !made) return made;
    } else if (copy.is_window) {
      m_kv->copy_window(copy.from, copy.to);
    } else {
      m_kv->copy_block(copy.from, copy.to);
    }
  }
  return {};
}

/// Waits until earlier copies of the place's bytes are done. Only steps that restore what they have
/// just evicted, or that cycle through a small host memory, really wait.
Result<void> PrefixTransfer::make_host_copy(const BlockCopy& copy) {
  const bool to_host = copy.kind == BlockCopy::Kind::kToHost;
  const int place = to_host ? copy.to : copy.from, item = to_host ? copy.from : copy.to;
  std::unordered_set<int>& unsettled = m_unsettled[copy.is_window ? 1 : 0];
  if (unsettled.contains(place)) {
    if (auto settled = settle(); !settled) return settled;
  }
  unsettled.insert(place);
  HostBlockStore* const host = copy.is_window ? m_cache->windows().sizes().host : m_cache->host();
  const std::span<std::byte> bytes = host->bytes(place);
  if (copy.is_window) {
    to_host ? m_kv->download_window(item, bytes) : m_kv->upload_window(item, bytes);
  } else {
    to_host ? m_kv->download_block(item, bytes) : m_kv->upload_block(item, bytes);
  }
  return {};
}

Result<void> PrefixTransfer::settle() {
  if (m_unsettled[0].empty() && m_unsettled[1].empty()) return {};
  for (auto& places : m_unsettled) places.clear();
  return m_kv->synchronize();
}

/// Bytes of a stored block: at least one, also of a model whose layers all have windows, since a
/// record holds something.
size_t PrefixTransfer::block_bytes() const {
  return std::max<size_t>(1, m_kv->layout().bytes_per_block());
}

void PrefixTransfer::request(Sequence& sequence) {
  if (!m_store || !m_cache->shares_prefixes()) return;
  const BlockTable& table = sequence.table;
  const Wanted wanted = find_wanted(table);
  if (wanted.is_empty()) return;
  const auto first = table.keys().begin() + wanted.first_block;
  std::vector<BlockKey> keys(first, first + wanted.num_blocks);
  if (wanted.has_state) keys.push_back(state_key(table.keys()[size_t(wanted.end()) - 1]));
  for (const int index : wanted.windows) {
    keys.push_back(window_key(table.keys()[size_t(index)]));
  }
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

/// The next portion of what the store has and the table lacks. A sequence with recurrent states or
/// windows can use blocks only if it can go on after them, with what is here or in the store.
PrefixTransfer::Wanted PrefixTransfer::find_wanted(const BlockTable& table) const {
  // At least one token is always computed.
  const int usable = (table.num_tokens() - 1) / kBlockSize;
  const auto keys = std::span(table.keys()).first(static_cast<size_t>(usable));
  const int held = m_cache->count_held_blocks(table), stored = m_store->count_stored(keys);
  const StateCache& states = m_cache->states();
  const WindowCache& windows = m_cache->windows();
  if (!states.exists() && !windows.exists()) {
    return {held, std::clamp(stored - held, 0, m_max_fetched_blocks)};
  }
  const int resume = m_cache->count_held(table);
  const int end = last_wanted(table, resume, std::min(usable, std::max(held, stored)));
  if (end <= resume) return {};
  Wanted wanted = {std::min(held, end), end - std::min(held, end), false};
  wanted.has_state = states.exists() && !states.find(table, end - 1);
  for (int i = windows.first_needed(end * kBlockSize); windows.exists() && i < end; ++i) {
    if (!m_cache->has_window(table, i, true)) wanted.windows.push_back(i);
  }
  limit(wanted);
  return wanted;
}

/// The most of the table's first `num_blocks` blocks after which a sequence can go on with what is
/// here or in the store; `resume` with what is here alone.
int PrefixTransfer::last_wanted(const BlockTable& table, int resume, int num_blocks) const {
  const auto is_stored = [&](const BlockKey& key) { return m_store->count_stored({&key, 1}) == 1; };
  const auto has_state = [&](int end) {
    const StateCache& states = m_cache->states();
    return !states.exists() || states.find(table, end - 1) ||
           is_stored(state_key(table.keys()[static_cast<size_t>(end) - 1]));
  };
  const auto has_window = [&](int index) {
    return m_cache->has_window(table, index, true) ||
           is_stored(window_key(table.keys()[static_cast<size_t>(index)]));
  };
  int end = num_blocks;
  while (end > resume) {
    const int last = m_cache->windows().last_resume(end, has_window);
    if (last == end && has_state(end)) break;
    end = last < end ? last : end - 1;
  }
  return end;
}

/// Limits what is wanted to one portion: blocks first, then window parts, then states.
void PrefixTransfer::limit(Wanted& wanted) const {
  const auto most = static_cast<size_t>(m_max_fetched_blocks);
  const auto blocks = static_cast<size_t>(wanted.num_blocks);
  if (blocks > most) {
    wanted = {wanted.first_block, m_max_fetched_blocks};
  } else if (blocks > 0 && blocks + wanted.windows.size() > most) {
    wanted = {wanted.first_block, wanted.num_blocks};
  } else if (wanted.windows.size() > most) {
    wanted.windows.resize(most);
    wanted.has_state = false;
  } else {
    wanted.is_last = true;
  }
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
      auto rest = std::span(fetched.blocks).subspan(blocks.size());
      if (!is_whole) rest = {};
      if (wanted.has_state && !rest.empty()) {
        auto done = write_states(rest.front(), sequence->table, wanted.end());
        if (!done) return done;
        rest = rest.subspan(1);
      }
      auto done = write_windows(rest, sequence->table, wanted.windows);
      if (!done) return done;
    }
    sequence->awaits_store = false;
    // The next portion, unless this one was the last, was incomplete or did not fit.
    if (wanted.is_last) continue;
    const bool has_all = std::ranges::all_of(wanted.windows, [&](int index) {
      return m_cache->has_window(sequence->table, index, false);
    });
    if (has_all && m_cache->count_held_blocks(sequence->table) >= wanted.end()) request(*sequence);
  }
  return {};
}

/// Writes window parts of the table's blocks of these indices to free slots.
Result<void> PrefixTransfer::write_windows(std::span<const StoredBlock> parts,
                                           const BlockTable& table, std::span<const int> indices) {
  indices = indices.first(std::min(parts.size(), indices.size()));
  for (size_t i = 0; i < indices.size(); ++i) {
    const int index = indices[i];
    if (index >= static_cast<int>(table.keys().size())) return {};
    const BlockKey& block = table.keys()[static_cast<size_t>(index)];
    const bool fits = parts[i].key == window_key(block) && parts[i].parent == block &&
                      parts[i].payload.size() == m_kv->layout().bytes_per_window() &&
                      std::ranges::equal(parts[i].tokens, table.block_tokens(index));
    if (!fits) return m_store->discard(parts[i].key), Result<void>();
  }
  const auto slots = m_cache->adopt_windows(table, indices);
  Result<void> done = make(m_cache->take_copies());
  for (size_t i = 0; i < slots.size(); ++i) {
    if (!slots[i]) continue;
    if (done) done = m_kv->write_window(*slots[i], parts[i].payload);
    if (!done) m_cache->disown_window(table, indices[i]);
  }
  return done;
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
  const auto restored = m_cache->restore_blocks(sequence.table);
  sequence.num_swapped += restored.blocks * kBlockSize;
  const auto places = m_cache->adopt(blocks, sequence.table, first_block);
  Result<void> done = make(m_cache->take_copies());
  for (size_t i = 0; i < places.size(); ++i) {
    if (!places[i]) continue;
    const auto bytes = std::span(blocks[i].payload).first(m_kv->layout().bytes_per_block());
    if (done) done = m_kv->write_block(*places[i], bytes);
    if (!done) m_cache->disown(*places[i]);
  }
  return done;
}

std::span<const StoredBlock> PrefixTransfer::usable(const PrefixStore::Fetched& fetched,
                                                    const BlockTable& table, int first_block) {
  const size_t bytes = block_bytes();
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

}  // namespace quire
