#pragma once

#include <cuda_runtime.h>

#include <cstdint>

/// What the host's plan and the kernels of paged attention agree on.
namespace quire::cuda {

/// A page's tokens (kBlockSize), and the keys between two steps of the online softmax.
inline constexpr int kPageKeys = 16;
inline constexpr int kKeyBlock = 64;
inline constexpr int kBlockPages = kKeyBlock / kPageKeys;

/// Splits lie at absolute positions: 0, 256, 512, 768, 1024, and every 512 from there. They are
/// fine where prefixes are shared and contexts are short, and coarse where their states' memory
/// counts.
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

/// A row of the batch in a list of tokens. With its heads of one KV head it is `group` rows of a
/// tile; row i of the list is token i / group, head i % group.
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
  int32_t state_split;  ///< Its only split, whose states are kept to be folded; -1: it writes out.
  int32_t unused[2];
};

/// A row whose states are folded: [first_state, first_state + num_states), of ascending splits.
/// Of none it is zeros, as padded rows are.
struct PlannedFold {
  int32_t row;
  int32_t first_state;
  int32_t num_states;
  int32_t unused;
};

/// Tiles by the kernel that computes them: small ones, and those of long prefills.
enum TileSize { kSmallTiles, kLargeTiles, kTileSizes };

/// The plan in device memory. It stays where it is, so that captured kernels find a later plan.
struct DevicePlan {
  const PlannedToken* tokens;
  const PlannedTile* tiles[kTileSizes];
  const PlannedFold* folds;
  float* states;          ///< (num_states, H, state_stride) f32, not normalised.
  float2* state_weights;  ///< (num_states, H): the largest score (log2) and the sum.
  float4* scratch;        ///< Of each resident block, for its rows' folded state.
  int32_t num_tiles[kTileSizes];
  int32_t num_folds;
  int32_t unused;
};

/// What a tile's kernel keeps of a row in shared memory.
struct TileRow {
  float factor;      ///< What the products of its halves are multiplied by.
  int32_t position;  ///< The last key that it sees.
  float folded_m;    ///< The state of the splits before.
  float folded_l;
};

/// What every kernel of attention is given; all pointers are to device memory.
struct AttentionArguments {
  const DevicePlan* plan;
  float* out;      ///< (T, H, D)
  const float* q;  ///< (T, H, D), rows q_stride apart.
  int64_t q_stride;
  const void* keys;  ///< (B, Hkv, kPageKeys, D)
  const void* values;
  const float* key_scales;  ///< (B, Hkv, kPageKeys), or null.
  const float* value_scales;
  const int32_t* block_tables;  ///< Rows table_stride apart.
  int64_t table_stride;
  const float* sinks;  ///< (H), or null.
  int num_heads;
  int num_kv_heads;
  int group;
  int head_dim;
  int state_stride;
  int sliding_window;
  float scale;
  float soft_cap;
  int tile_rows;  ///< Rows that shared memory has room for.
  int is_serial;  ///< Keys and values take turns in one buffer, where shared memory is small.
  int tile_size;  ///< Which list of tiles: TileSize.
};

}  // namespace quire::cuda
