#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <vector>

#include "engine/cache/block_cache.h"
#include "engine/cache/kv_storage.h"
#include "engine/cache/prefix_store.h"
#include "engine/scheduler/scheduler.h"

namespace quire {

/// Moves blocks between the pool and a PrefixStore: reads what a new sequence can use before it is
/// admitted, and hands over what is worth keeping, some blocks a step so that no step waits long.
/// Without a store it does nothing.
/// Thread: the engine's.
class PrefixTransfer {
 public:
  PrefixTransfer(std::shared_ptr<PrefixStore> store, BlockCache& cache, KvStorage& kv);

  /// Starts reading the blocks of a waiting sequence that the store has and the pool lacks; until
  /// they are there the sequence is not admitted.
  void request(Sequence& sequence);

  /// Puts what was read into the pool and lets its sequences go on. Waits a little for it if
  /// `is_idle`: there is nothing else to do.
  Result<void> receive(Scheduler& scheduler, bool is_idle);

  /// The table's first `num_blocks` blocks, which are computed, are to be kept for `owner`.
  void keep(const BlockTable& table, int num_blocks, const PrefixOwner& owner);

  /// Hands some of what is to be kept to the store. What left the pool meanwhile is passed over.
  Result<void> send();

  bool is_sending() const { return !m_outgoing.empty(); }

 private:
  struct Incoming {
    int first_block = 0;
    size_t num_blocks = 0;
    BlockKey first_key;
    std::vector<SequenceId> sequences;
  };
  /// What tells two blocks that are to be kept apart.
  using Identity = std::tuple<std::array<uint8_t, 32>, PrefixOwner::Kind, int64_t>;
  struct Outgoing {
    StoredBlock block;  ///< Without its payload.
    PrefixOwner owner;
    Identity identity() const { return {block.key.digest, owner.kind, owner.id}; }
  };
  Result<void> adopt(PrefixStore::Fetched& fetched, const Incoming& incoming, Scheduler& scheduler);
  std::span<const StoredBlock> usable(const PrefixStore::Fetched& fetched, const BlockTable& table,
                                      int first_block);

  std::shared_ptr<PrefixStore> m_store;
  BlockCache* m_cache;
  KvStorage* m_kv;
  std::map<uint64_t, Incoming> m_incoming;  ///< By ticket.
  uint64_t m_last_ticket = 0;
  std::deque<Outgoing> m_outgoing;
  std::set<Identity> m_outgoing_identities;
};

}  // namespace quire
