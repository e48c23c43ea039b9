#pragma once

#include <array>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "engine/cache/block_cache.h"
#include "engine/cache/cache_storage.h"
#include "engine/cache/prefix_store.h"
#include "engine/scheduler/scheduler.h"

namespace quire {

struct PrefixTransferLimits {
  /// Read at once for one sequence; the rest follows in portions, so that no step waits long for
  /// the copies.
  size_t max_fetched_bytes = size_t{32} << 20;
  /// A sequence that has waited so long for a portion computes its tokens instead.
  std::chrono::milliseconds max_wait{3000};
};

/// Moves blocks between the pool and a PrefixStore: reads what a new sequence can use before it is
/// admitted, and saves blocks worth keeping, some a step so that no step waits long. Without a
/// store it does neither.
///
/// It also makes the copies that the cache asks for, within the pool and between the pool and host
/// memory. The host does not wait for these: the device makes them in order, before the next step.
/// Thread: the engine's. Cache and CacheStorage outlive it.
class PrefixTransfer {
 public:
  PrefixTransfer(std::shared_ptr<PrefixStore> store, BlockCache& cache, CacheStorage& kv,
                 const PrefixTransferLimits& limits = {});
  /// Waits for copies from and to host memory, which may be freed afterwards.
  ~PrefixTransfer();
  PrefixTransfer(const PrefixTransfer&) = delete;
  PrefixTransfer& operator=(const PrefixTransfer&) = delete;

  /// Submits the copies, in this order. Errors: the device's.
  Result<void> make(std::span<const BlockCopy> copies);

  /// Starts reading the blocks of a waiting sequence that the store has and the pool and host
  /// memory lack. The sequence is not admitted before they are read.
  void request(Sequence& sequence);

  /// Writes blocks that were read into the pool and releases their sequences. If `is_idle`, with
  /// nothing else to do, waits a little for them.
  Result<void> receive(Scheduler& scheduler, bool is_idle);

  /// Queues the table's first `num_blocks` blocks, which are computed, to be saved for `owner`.
  void keep(const BlockTable& table, int num_blocks, const PrefixOwner& owner);

  /// Saves some of the queued blocks. Those that were evicted from the pool and host memory
  /// meanwhile are skipped.
  Result<void> send();

  /// The devices were released: drops all transfers.
  void forget_all();

  bool is_sending() const { return !m_outgoing.empty(); }

 private:
  /// What a sequence can use of the store: blocks, and maybe the states after the last of them and
  /// the window parts before it.
  struct Wanted {
    int first_block = 0;
    int num_blocks = 0;
    bool has_state = false;
    std::vector<int> windows = {};  ///< Ascending indices of blocks.
    bool is_last = false;           ///< Nothing more is wanted after this portion.
    int end() const { return first_block + num_blocks; }
    bool is_empty() const { return num_blocks == 0 && !has_state && windows.empty(); }
  };
  struct Incoming {
    Wanted wanted;
    BlockKey first_key;
    std::chrono::steady_clock::time_point asked;
    std::vector<SequenceId> sequences;
  };
  /// What distinguishes two queued blocks.
  using Identity = std::tuple<std::array<uint8_t, 32>, PrefixOwner::Kind, int64_t>;
  struct Outgoing {
    StoredBlock block;  ///< Without its payload.
    PrefixOwner owner;
    /// Of the states after a block, and of its window part: its parent's key.
    std::optional<BlockKey> grandparent = {};
    bool is_window = false;
    Identity identity() const { return {block.key.digest, owner.kind, owner.id}; }
  };
  Result<void> adopt(const PrefixStore::Fetched& fetched, const Incoming& incoming,
                     Scheduler& scheduler);
  Result<void> write(std::span<const StoredBlock> blocks, Sequence& sequence, int first_block);
  Result<bool> read(StoredBlock& block);
  Result<bool> read_states(Outgoing& outgoing);
  Result<bool> read_window(Outgoing& outgoing);
  Result<void> write_states(const StoredBlock& stored, const BlockTable& table, int num_blocks);
  Result<void> write_windows(std::span<const StoredBlock> parts, const BlockTable& table,
                             std::span<const int> indices);
  size_t block_bytes() const;
  Wanted find_wanted(const BlockTable& table) const;
  int last_wanted(const BlockTable& table, int resume, int num_blocks) const;
  void limit(Wanted& wanted) const;
  void queue(Outgoing outgoing);
  void keep_states(const BlockTable& table, int num_blocks, const PrefixOwner& owner);
  void keep_windows(const BlockTable& table, int num_blocks, const PrefixOwner& owner);
  Result<void> make_host_copy(const BlockCopy& copy);
  Result<void> settle();
  void give_up_waiting(Scheduler& scheduler);
  void drop_outgoing(const PrefixOwner& owner);
  std::span<const StoredBlock> usable(const PrefixStore::Fetched& fetched, const BlockTable& table,
                                      int first_block);

  std::shared_ptr<PrefixStore> m_store;
  BlockCache* m_cache;
  CacheStorage* m_kv;
  int m_max_fetched_blocks;
  std::chrono::milliseconds m_max_wait;
  std::map<uint64_t, Incoming> m_incoming;  ///< By ticket.
  std::deque<Outgoing> m_outgoing;
  std::set<Identity> m_outgoing_identities;
  std::map<int64_t, BlockKey> m_chat_states;  ///< The stored state of each chat, which is its last.
  /// Places in host memory, of blocks and of window parts, whose copies may still be running.
  std::array<std::unordered_set<int>, 2> m_unsettled;
};

}  // namespace quire
