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

/// A full block outside of the pool: its name, and the bytes of its keys and values as
/// CacheStorage::read_block returns them. Or the recurrent states after a block, or its window
/// part: `key` is state_key() or window_key() of that block's, `parent` that block's key, and
/// `tokens` are its tokens; the bytes are those of CacheStorage::read_state or read_window.
struct StoredBlock {
  BlockKey key;
  BlockKey parent;
  std::array<int32_t, kBlockSize> tokens{};
  std::vector<std::byte> payload;
};

/// For whom a block is stored; blocks without owners may be deleted.
struct PrefixOwner {
  enum class Kind { kPersona, kChat };
  Kind kind = Kind::kPersona;
  int64_t id = 0;  ///< Of the persona's or chat's record; never 0.
  bool operator==(const PrefixOwner&) const = default;
};

/// Stores blocks beyond the life of the process. All of them can be computed again, so nothing here
/// fails: what cannot be written is dropped, what cannot be read is not found.
///
/// Thread: one (the engine's) calls; reading and writing happen on the store's own.
/// Invariants: what is returned is what was saved, bit for bit (checksums), under the key it was
/// saved with; the caller checks whether it fits the model (key, parent, tokens, size).
class PrefixStore {
 public:
  virtual ~PrefixStore() = default;

  /// How many of the leading keys are stored, as far as is known. Reads memory only.
  virtual int count_stored(std::span<const BlockKey> keys) const = 0;

  /// Reads these blocks in the background; take_fetched returns them later with the same ticket.
  virtual void fetch(uint64_t ticket, std::vector<BlockKey> keys) = 0;

  struct Fetched {
    uint64_t ticket = 0;
    std::vector<StoredBlock> blocks;  ///< The leading keys that could be read, in order.
  };
  /// What was read since the last call; waits up to `wait` for the first if there is none and
  /// something is being read. Every ticket is returned once.
  virtual std::vector<Fetched> take_fetched(std::chrono::milliseconds wait) = 0;

  /// Whether save() is worth its caller's copy: there is a budget for this owner, and room in the
  /// queue.
  virtual bool wants(const PrefixOwner& owner) const = 0;

  /// Queues a block for writing. A stored one gains the owner and counts as used now.
  virtual void save(StoredBlock block, const PrefixOwner& owner) = 0;

  /// The owner uses these blocks, most of which are stored: marks them as used now, and adds it to
  /// their owners.
  virtual void touch(std::vector<BlockKey> keys, const PrefixOwner& owner) = 0;

  /// Bytes of stored keys and values, as far as is known. Reads memory only.
  virtual uint64_t stored_bytes() const { return 0; }

  /// Deletes a stored block that does not fit (another layout, other tokens).
  virtual void discard(const BlockKey& key) = 0;
};

}  // namespace quire
