#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace quire::cpu {

/// A batch of attention as the plan sees it: AttentionBatch narrowed, and what decides how to cut.
struct AttentionShape {
  const int32_t* query_start;   ///< (num_sequences + 1)
  const int32_t* context_len;   ///< (num_sequences)
  const int32_t* block_tables;  ///< Rows table_stride apart.
  int64_t table_stride;
  int64_t num_sequences;
  int64_t num_kv_heads;
  int64_t tile_rows;  ///< The most rows of a tile.
  int sliding_window;
  int num_threads;
  int64_t max_states;  ///< States that may be kept in memory; 0: tiles begin and end, always.
};

/// A query row. Its states are counted from 0 in the memory that the plan asks for; -1 is none.
struct PlannedRow {
  int64_t row;
  int64_t position;
  int64_t state;
  int64_t block_states;
};

/// Rows over a range of keys that all of them have in the pages of `sequence`; with a KV head it is
/// a task.
struct PlannedTile {
  int64_t first_row;  ///< In AttentionPlan::rows.
  int64_t num_rows;
  int64_t sequence;
  int64_t key_begin;
  int64_t key_end;
  bool begins;  ///< As in AttentionTile.
  bool ends;
  bool in_blocks = false;   ///< The states of key blocks are stored, to be folded afterwards.
  int64_t first_block = 0;  ///< The key block of the rows' first block state.
};

/// Tiles that may run at the same time, then the folds of those that were cut into blocks.
struct PlannedRound {
  std::vector<PlannedTile> tiles;
  std::vector<PlannedTile> folds;
};

/// Who computes attention over which keys for which rows. Nothing here changes a result: a row's
/// arithmetic is cut at key blocks whatever the plan (cpu_kernels.h).
///
/// Sequences that begin with the same pages form a tree: over pages that several have, their rows
/// are tiles together, and each goes on from its state where they part (the prefix trees of
/// arXiv:2402.15220 and the cascade of arXiv:2501.01005).
struct AttentionPlan {
  std::vector<PlannedRow> rows;
  std::vector<PlannedRound> rounds;
  int64_t num_states = 0;
};

AttentionPlan plan_attention(const AttentionShape& shape);

}  // namespace quire::cpu
