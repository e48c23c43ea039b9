#pragma once

#include <set>
#include <span>
#include <vector>

#include "engine/cache/block_key.h"
#include "engine/cache/block_pool.h"
#include "kernels/backend.h"

namespace quire {

/// The owner of a sequence's tokens, which decides the worth of its blocks when they are free.
struct BlockOwner {
  int64_t chat = 0;       ///< 0: of no chat.
  int shared_tokens = 0;  ///< Leading tokens that are a persona's, which other chats share.
};

using StateSlot = int32_t;

/// The recurrent states of one sequence; see StateCache, which alone changes them.
struct SequenceStates {
  /// A state that no later step writes.
  struct Snapshot {
    int position = 0;  ///< Tokens before it.
    StateSlot slot = -1;
  };
  int num_prompt = 0;             ///< Tokens that the sequence began with.
  int num_cut = 0;                ///< Tokens that were matched beyond the state it goes on from.
  int position = 0;               ///< Tokens up to which states are planned.
  StateSlot slot = -1;            ///< Of the state there; -1: zeros.
  std::vector<Snapshot> pending;  ///< Not computed yet, or read by the running step.
  std::vector<Snapshot> drafted;  ///< After each row of a draft, ascending, behind `position`.
  std::set<int> wanted;           ///< Positions where other sequences branch off.
  int rolling = 0;                ///< Where the answer's last snapshot is; 0: none.
};

using WindowSlot = int32_t;

/// The window parts that one sequence holds; see WindowCache, which alone changes them.
struct SequenceWindows {
  std::vector<WindowSlot> held;  ///< By block; 0: none.
  int first = 0;                 ///< The blocks before it have none.
  std::set<int> wanted;          ///< Positions where other sequences branch off.
};

/// The tokens of one sequence, the names of its full blocks, and the blocks that hold what was
/// computed for them. Only BlockCache allocates and frees blocks.
/// Thread: the engine's.
/// Invariants: num_computed() <= tokens().size(); the blocks cover at least num_computed() tokens;
/// keys()[i] names tokens [i, i + 1) * kBlockSize and exists for every full block of tokens().
class BlockTable {
 public:
  BlockTable(const BlockKey& root, std::vector<int32_t> tokens, const BlockOwner& owner = {});

  void append(int32_t token);

  const std::vector<int32_t>& tokens() const { return m_tokens; }
  const std::vector<BlockId>& blocks() const { return m_blocks; }
  const std::vector<BlockKey>& keys() const { return m_keys; }
  int num_tokens() const { return static_cast<int>(m_tokens.size()); }
  int num_computed() const { return m_num_computed; }
  int num_uncomputed() const { return num_tokens() - m_num_computed; }

  const BlockOwner& owner() const { return m_owner; }
  const SequenceStates& states() const { return m_states; }
  /// Of a model with window layers.
  const SequenceWindows& windows() const { return m_windows; }

  const BlockKey& parent_key(int index) const { return index == 0 ? m_root : m_keys[index - 1]; }
  /// The tokens of a full block.
  std::span<const int32_t> block_tokens(int index) const;

  /// Where the keys and values of the token at `position` are: block * kBlockSize + offset.
  int32_t slot(int position) const;
  /// The same in layers with a window: the window slot instead of the block.
  int32_t window_slot(int position) const;

 private:
  friend class BlockCache;
  friend class StateCache;
  friend class WindowCache;
  void extend_keys();

  BlockKey m_root;
  BlockOwner m_owner;
  std::vector<int32_t> m_tokens;
  std::vector<BlockKey> m_keys;
  std::vector<BlockId> m_blocks;
  int m_num_computed = 0;
  SequenceStates m_states;
  SequenceWindows m_windows;
};

/// Blocks that hold `num_tokens` tokens.
inline int blocks_for(int num_tokens) {
  return (num_tokens + kBlockSize - 1) / kBlockSize;
}

}  // namespace quire
