#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace quire::cpu {

/// An AttentionBatch, narrowed, and the parameters that determine its plan.
struct AttentionShape {
  const int32_t* query_start;   ///< (num_sequences + 1)
  const int32_t* context_len;   ///< (num_sequences)
  const int32_t* block_tables;  ///< Rows table_stride apart.
  int64_t table_stride;
  int64_t num_sequences;
  int64_t num_kv_heads;
  int64_t tile_rows;  ///< The most rows of a tile.
  int sliding_window;
  int chunk_size;
  int num_threads;
  int64_t max_states;  ///< 0: every tile computes the whole attention of its rows.
};

/// A query row, and the indices of its states in the plan's state memory; -1: none.
struct PlannedRow {
  int64_t row;
  int64_t position;
  int64_t first_key;  ///< The first one that it sees.
  int64_t state;
  int64_t block_states;
};

/// Rows and a range of keys; for all rows the keys lie in the pages of `sequence`. A task is one
/// KV head of a tile.
struct PlannedTile {
  int64_t first_row;  ///< Index in AttentionPlan::rows.
  int64_t num_rows;
  int64_t sequence;
  int64_t key_begin;
  int64_t key_end;
  bool begins;  ///< As in AttentionTile.
  bool ends;
  bool in_blocks = false;   ///< Stores a state for each key block; a fold combines them.
  int64_t first_block = 0;  ///< The key block of the first block state.
};

/// Tiles that may run in parallel, and the folds of the split ones, which run after the tiles.
struct PlannedRound {
  std::vector<PlannedTile> tiles;
  std::vector<PlannedTile> folds;
};

/// The tiles of an attention. The plan changes no result: a row's arithmetic is divided at key
/// blocks whatever the plan (cpu_kernels.h).
///
/// Sequences with the same first pages form a prefix tree. Over shared pages their rows form common
/// tiles; after them each row continues from its own state (arXiv:2402.15220, arXiv:2501.01005).
struct AttentionPlan {
  std::vector<PlannedRow> rows;
  std::vector<PlannedRound> rounds;
  int64_t num_states = 0;
};

AttentionPlan plan_attention(const AttentionShape& shape);

}  // namespace quire::cpu
