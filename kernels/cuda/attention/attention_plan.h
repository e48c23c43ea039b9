#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/cuda/attention/attention_layout.h"

namespace quire::cuda {

/// The input of the plan, in host memory: a batch, and the properties that determine its tiles.
struct AttentionPlanInput {
  std::span<const int32_t> query_start;   ///< (S + 1)
  std::span<const int32_t> context_len;   ///< (S)
  std::span<const int32_t> block_tables;  ///< (S, table_stride)
  int64_t table_stride = 0;
  KeySpan span;
  int group = 1;  ///< Query heads of a KV head.
  int num_kv_heads = 1;
  std::array<int, kTileSizes> tile_rows = {64, 0};  ///< The most rows of a tile; 0: no such tiles.
  int num_workers = 1;                              ///< Tiles that are computed at the same time.
  int64_t max_states = 0;                           ///< The most states, each of all heads.
};

/// The tiles of an attention. The plan changes no result: a row's arithmetic is divided at splits
/// whatever the plan.
///
/// Sequences with few rows and the same first pages form a tree: over each complete split that
/// several of them have in common, their rows form common tiles, so that its pages are read once
/// (the cascade of arXiv:2501.01005, the prefix trees of arXiv:2402.15220).
struct AttentionPlan {
  std::vector<PlannedToken> tokens;
  std::array<std::vector<PlannedTile>, kTileSizes> tiles;  ///< In descending order of keys.
  std::vector<PlannedFold> folds;
  int64_t num_states = 0;
};

AttentionPlan plan_attention(const AttentionPlanInput& input);

}  // namespace quire::cuda
