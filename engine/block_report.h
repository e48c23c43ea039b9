#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/chat/chat_history.h"
#include "engine/scheduler/scheduler.h"

namespace quire {

/// The pool and the load, for the window and for tests. Blocks add up:
/// used + cached + free = total.
struct EngineStats {
  int total_blocks = 0;
  int used_blocks = 0;    ///< Referenced by at least one sequence.
  int shared_blocks = 0;  ///< Of the used: referenced by more than one.
  int cached_blocks = 0;  ///< Unreferenced, with content that stays until the block is allocated.
  int free_blocks = 0;
  int host_blocks = 0;  ///< Kept in host memory, beside the pool.
  size_t bytes_per_block = 0;
  // Of a model with recurrent layers; snapshots are states that others may go on from.
  int total_states = 0;
  int used_states = 0;      ///< Referenced by at least one sequence.
  int snapshot_states = 0;  ///< Named, referenced or not.
  size_t bytes_per_state = 0;
  int snapshot_stride = 0;  ///< Tokens; 0: none.
  // Of a model with window layers: slots for window parts of blocks, beside slot 0.
  int total_windows = 0;
  int used_windows = 0;    ///< Referenced by at least one sequence.
  int cached_windows = 0;  ///< Unreferenced, kept until the slot is needed.
  size_t bytes_per_window = 0;
  int num_adapters = 0;      ///< Loaded beside the model.
  size_t adapter_bytes = 0;  ///< Their weights, beside the model's.
  double kv_waste = 0.0;     ///< Slots reserved but empty, as a fraction of the used blocks' slots.
  int running = 0;           ///< Sequences holding blocks.
  int waiting = 0;
  int batch_tokens = 0;  ///< Rows of the last step.
  int batch_sequences = 0;
  uint64_t steps = 0;
  uint64_t computed_tokens = 0;  ///< Rows computed since the start.
  uint64_t prompt_tokens = 0;    ///< Of all requests that were admitted.
  uint64_t cached_tokens = 0;    ///< Of the prompt tokens: found in the pool.
  uint64_t cut_tokens = 0;       ///< Of the prompt tokens: in the pool, without a state after them.
  uint64_t disk_tokens = 0;      ///< Of the cached: read back from the prefix store.
  uint64_t swapped_tokens = 0;   ///< Restored from host memory instead of being computed.
  uint64_t output_tokens = 0;
  uint64_t drafted_tokens = 0;   ///< Guesses that were computed,
  uint64_t accepted_tokens = 0;  ///< and those that were right.
  uint64_t stored_bytes = 0;     ///< Of keys and values in the prefix store.
  uint64_t preemptions = 0;
};

/// The state of a block of the pool, for the map of blocks.
struct BlockState {
  int ref_count = 0;                     ///< Sequences that hold it.
  int num_tokens = 0;                    ///< Whose keys and values others may share.
  BlockWorth worth = BlockWorth::kNone;  ///< Only of an unreferenced block.
  int64_t chat = 0;         ///< A chat that holds it, or the last one that did; 0: no chat.
  int num_chats = 0;        ///< That hold it now.
  bool is_on_disk = false;  ///< Its content is in the prefix store, too.
  bool is_in_host = false;  ///< Its content is in host memory, too.
};

/// The text of a block of the pool.
struct BlockText {
  std::string text;            ///< Whole characters; special tokens as they are spelt.
  int num_tokens = 0;          ///< Of the text.
  std::vector<int64_t> chats;  ///< That hold it now, each once, or the one that did last.
  bool is_held = false;        ///< By a sequence; otherwise it is only kept.
  int position = -1;           ///< Of its first token among its chat's; -1: unknown.
  /// The index, among its request's messages, of the one that holds `position`; the answer follows
  /// the last message. -1: unknown.
  int message = -1;
};

/// How much of a prompt's beginning is stored, in whole blocks, and how many chats begin with it.
struct PrefixHolding {
  int resident_tokens = 0;  ///< In the pool, or in host memory beside it.
  int stored_tokens = 0;    ///< Beyond those: in the prefix store.
  int chats = 0;            ///< Since the start; chats served long ago may be forgotten.
  size_t saved_bytes = 0;   ///< What sharing the resident blocks saves.
};

/// Describes an engine's blocks.
/// Thread: the engine's. What it refers to outlives it.
struct BlockReport {
  const BlockCache& cache;
  const Scheduler& scheduler;
  const ChatHistory& history;
  const PrefixStore* store;  ///< May be null.
  size_t bytes_per_block;
  size_t bytes_per_state;
  size_t bytes_per_window;

  /// Completes the counters with the state of the pool, the queues and the stores.
  EngineStats stats(EngineStats counters) const;
  /// The state of every block of the pool.
  std::vector<BlockState> block_map() const;
  /// Nothing if the block holds no text, or there is no such block.
  std::optional<BlockText> block_text(BlockId block, const Tokenizer& tokenizer) const;
  PrefixHolding holding(const BlockTable& prefix) const;
};

}  // namespace quire
