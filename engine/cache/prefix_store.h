#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/cache/block_key.h"
#include "kernels/backend.h"

namespace quire {

/// A full block outside of the pool: what it stands for, and the bytes of its keys and values as
/// KvStorage::read_block gives them.
struct StoredBlock {
  BlockKey key;
  BlockKey parent;
  std::array<int32_t, kBlockSize> tokens{};
  std::vector<std::byte> payload;
};

/// For whom a block is kept; what no owner wants any more may be deleted.
struct PrefixOwner {
  enum class Kind { kPersona, kChat };
  Kind kind = Kind::kPersona;
  int64_t id = 0;  ///< Of the persona's or chat's record; never 0.
  bool operator==(const PrefixOwner&) const = default;
};

/// Keeps blocks beyond the life of the process. Everything in it can be computed again, so that
/// nothing here fails: what cannot be written is dropped, what cannot be read is not found.
///
/// Thread: one (the engine's) calls; reading and writing happen on the store's own.
/// Invariants: what is returned is what was saved, bit for bit (checksums), under the key it was
/// saved with; whether it fits the model is for the caller to check (key, parent, tokens, size).
class PrefixStore {
 public:
  virtual ~PrefixStore() = default;

  /// How many of the leading keys are stored, as far as is known now. Looks into memory only.
  virtual int count_stored(std::span<const BlockKey> keys) const = 0;

  /// Reads these blocks in the background; take_fetched gives them later, under the same ticket.
  virtual void fetch(uint64_t ticket, std::vector<BlockKey> keys) = 0;

  struct Fetched {
    uint64_t ticket = 0;
    std::vector<StoredBlock> blocks;  ///< The leading keys that could be read, in order.
  };
  /// What has been read since the last call; waits up to `wait` for the first if there is none and
  /// something is being read. Every ticket comes back once.
  virtual std::vector<Fetched> take_fetched(std::chrono::milliseconds wait) = 0;

  /// Whether save() is worth its caller's copy: there is a budget for this owner, and room in the
  /// queue.
  virtual bool wants(const PrefixOwner& owner) const = 0;

  /// Queues a block for writing. One that is stored already gains the owner and counts as used now.
  virtual void save(StoredBlock block, const PrefixOwner& owner) = 0;

  /// The owner uses these blocks (most are likely stored already): marks them as used now, and as
  /// its own too.
  virtual void touch(std::vector<BlockKey> keys, const PrefixOwner& owner) = 0;

  /// Bytes of keys and values that are stored, as far as is known now. Looks into memory only.
  virtual uint64_t stored_bytes() const { return 0; }

  /// A stored block turned out not to fit (another layout, other tokens): it is deleted.
  virtual void discard(const BlockKey& key) = 0;
};

}  // namespace quire
