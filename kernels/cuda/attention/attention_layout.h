#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/cuda/linear/row_format.h"

/// The data structures that the host's plan and the kernels of paged attention share.
namespace quire::cuda {

/// A page's tokens (kBlockSize), and the keys between two steps of the online softmax.
inline constexpr int kPageKeys = 16;
inline constexpr int kKeyBlock = 64;
inline constexpr int kBlockPages = kKeyBlock / kPageKeys;

/// Splits begin at absolute positions: 0, 256, 512, 768, 1024, and every 512 from there. They are
/// short at the beginning, where prefixes are shared and short contexts end, and long later, to
/// limit the memory of their states.
inline constexpr int kFineSplits = 4;
inline constexpr int kFineSplitKeys = 256;
inline constexpr int kCoarseSplitKeys = 512;

/// The first key of a split, and the split of a key.
__host__ __device__ inline int split_begin(int split) {
  constexpr int kFineKeys = kFineSplits * kFineSplitKeys;
  return split <= kFineSplits ? split * kFineSplitKeys
                              : kFineKeys + (split - kFineSplits) * kCoarseSplitKeys;
}
__host__ __device__ inline int split_of(int key) {
  constexpr int kFineKeys = kFineSplits * kFineSplitKeys;
  return key < kFineKeys ? key / kFineSplitKeys
                         : kFineSplits + (key - kFineKeys) / kCoarseSplitKeys;
}

/// A row of the batch in a list of tokens. Its query heads of one KV head are `group` rows of a
/// tile: row i of the list is head i % group of token i / group.
struct PlannedToken {
  int32_t row;       ///< Of q and out.
  int32_t position;  ///< Its last key.
  int32_t state;     ///< State of split j: number state + j.
  int32_t unused;
};

/// Rows over the keys [key_begin, key_end), in the pages of one of their sequences.
struct PlannedTile {
  int32_t first_row;  ///< In the list of tokens, times group.
  int32_t num_rows;
  int32_t sequence;
  int32_t key_begin;
  int32_t key_end;
  /// The split of the keys, if the tile stores states that are folded later; -1 if it writes out.
  int32_t state_split;
  int32_t unused[2];
};

/// A row and its states, [first_state, first_state + num_states), of ascending splits, which are
/// folded. With no states (padded rows) the row is zeros.
struct PlannedFold {
  int32_t row;
  int32_t first_state;
  int32_t num_states;
  int32_t unused;
};

/// The kernel of a tile: small ones, or large ones for long prefills.
enum TileSize { kSmallTiles, kLargeTiles, kTileSizes };

/// The plan in device memory. Its address is constant, so that captured kernels use later plans.
struct DevicePlan {
  const PlannedToken* tokens;
  const PlannedTile* tiles[kTileSizes];
  const PlannedFold* folds;
  float* states;          ///< (num_states, H, state_stride), not normalised.
  float2* state_weights;  ///< (num_states, H): the largest score (log2) and the sum.
  float4* scratch;        ///< For each resident block, the folded state of its rows.
  int32_t num_tiles[kTileSizes];
  int32_t num_folds;
  int32_t unused;
};

/// A row of a tile in shared memory.
struct TileRow {
  float factor;      ///< The factor of its products, which undoes the scaling of its halves.
  int32_t position;  ///< The last key that it sees.
  float folded_m;    ///< The state of the preceding splits.
  float folded_l;
};

/// The keys before a row that it sees (AttentionParams); 0: all.
struct KeySpan {
  int sliding_window = 0;
  int chunk_size = 0;

  bool operator==(const KeySpan&) const = default;
};

/// The arguments of every attention kernel; all pointers are to device memory.
struct AttentionArguments {
  const DevicePlan* plan;
  void* out;              ///< (T, H Dv)
  int64_t out_row_words;  ///< Of 32 bits, from a row to the next.
  RowFormat out_format;
  const float* q;  ///< (T, H, D), rows q_stride apart.
  int64_t q_stride;
  const void* keys;         ///< (B, Hkv, kPageKeys, D)
  const void* values;       ///< (B, Hkv, kPageKeys, Dv)
  const float* key_scales;  ///< (B, Hkv, kPageKeys), or null.
  const float* value_scales;
  const int32_t* block_tables;  ///< Rows table_stride apart.
  int64_t table_stride;
  const float* sinks;  ///< (H), or null.
  int num_heads;
  int num_kv_heads;
  int group;
  int head_dim;   ///< D
  int value_dim;  ///< Dv
  int state_stride;
  KeySpan span;
  float scale;
  float soft_cap;
  int tile_rows;  ///< Rows that shared memory has room for.
  int is_serial;  ///< Keys and values use one buffer in turn, because shared memory is small.
  int tile_size;  ///< TileSize, the list of tiles.
};

}  // namespace quire::cuda
