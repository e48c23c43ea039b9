#pragma once

#include "kernels/cuda/attention/attention_pages.h"
#include "kernels/cuda/attention/attention_state.h"
#include "kernels/cuda/device/tensor_core.h"

/// The work of a warp: 16 rows of a tile, and kOwnDim dimensions of their sums. With g = lane / 4
/// and c = lane % 4 * 2, a lane holds the scores of the keys 8 j + c, + 1 and the sums of the
/// dimensions 8 j + c, + 1 of the rows g and g + 8, in the layout of D in tensor_core.h.
namespace quire::cuda {

inline constexpr int kWarpRows = 16;
inline constexpr int kScoreTiles = kKeyBlock / 8;

/// The states of a lane's two rows over a split. Four lanes have the same rows; l is the lane's
/// part of the sum.
struct WarpRows {
  float m[2];
  float l[2];
};

/// The index in the warp's rows of the lane's row i.
__device__ __forceinline__ int lane_row(int i) {
  return lane_index() / 4 + 8 * i;
}

__device__ __forceinline__ PlannedToken token_of(const AttentionArguments& args,
                                                 const PlannedTile& tile, int row) {
  return args.plan->tokens[(tile.first_row + row) / args.group];
}
/// The query head of a row of a tile that reads that KV head.
__device__ __forceinline__ int head_of(const AttentionArguments& args, const PlannedTile& tile,
                                       int row, int kv_head) {
  return kv_head * args.group + (tile.first_row + row) % args.group;
}

__device__ __forceinline__ void begin_split(WarpRows& rows) {
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    rows.m[i] = minus_infinity();
    rows.l[i] = 0.0f;
  }
}

/// Whether any row of the warp sees any key of the block.
__device__ __forceinline__ bool sees_block(const TileRow* rows, KeySpan span, int block) {
  bool any = false;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int position = rows[lane_row(i)].position;
    any |= block <= position && block + kKeyBlock > first_key(position, span);
  }
  return __any_sync(kAllLanes, any) != 0;
}
/// Whether all rows of the warp see all keys of the block.
__device__ __forceinline__ bool sees_whole_block(const TileRow* rows, KeySpan span, int block) {
  bool all = true;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int position = rows[lane_row(i)].position;
    all &= block + kKeyBlock - 1 <= position && block >= first_key(position, span);
  }
  return __all_sync(kAllLanes, all) != 0;
}

/// scores = queries keys^T; both are rows of halves in shared memory. queries: the warp's first
/// row.
template <Half kHalf, int kDim>
__device__ __forceinline__ void multiply_keys(float (&scores)[kScoreTiles][4],
                                              const unsigned char* queries,
                                              const unsigned char* keys) {
  constexpr int kRowBytes = kDim * 2 + 16;
  const int lane = lane_index();
  const int matrix = lane / 8;
  queries += (lane % 8 + matrix % 2 * 8) * kRowBytes + matrix / 2 * 16;
  keys += (lane % 8 + matrix / 2 * 8) * kRowBytes + matrix % 2 * 16;
#pragma unroll
  for (int j = 0; j < kScoreTiles; ++j) {
#pragma unroll
    for (int i = 0; i < 4; ++i) scores[j][i] = 0.0f;
  }
#pragma unroll
  for (int k = 0; k < kDim / 16; ++k) {
    uint32_t a[4];
    load_matrix_x4(a, queries + k * 32);
#pragma unroll
    for (int j = 0; j < kScoreTiles; j += 2) {
      uint32_t b[4];
      load_matrix_x4(b, keys + j * 8 * kRowBytes + k * 32);
      mma_m16n8k16<kHalf>(scores[j], a, {b[0], b[1]});
      mma_m16n8k16<kHalf>(scores[j + 1], a, {b[2], b[3]});
    }
  }
}

/// sums += weights values, keys ascending, for the kOwnDim dimensions from `values` on. weights:
/// pairs of halves of the score tiles 2 k + i / 2.
template <Half kHalf, int kDim, int kOwnDim>
__device__ __forceinline__ void multiply_values(float (&sums)[kOwnDim / 8][4],
                                                const uint32_t (&weights)[kKeyBlock / 16][4],
                                                const unsigned char* values) {
  constexpr int kRowBytes = kDim * 2 + 16;
  const int lane = lane_index();
  const int matrix = lane / 8;
  values += (lane % 8 + matrix % 2 * 8) * kRowBytes + matrix / 2 * 16;
#pragma unroll
  for (int k = 0; k < kKeyBlock / 16; ++k) {
#pragma unroll
    for (int j = 0; j < kOwnDim / 8; j += 2) {
      uint32_t b[4];
      load_matrix_x4_transposed(b, values + k * 16 * kRowBytes + j * 16);
      mma_m16n8k16<kHalf>(sums[j], weights[k], {b[0], b[1]});
      mma_m16n8k16<kHalf>(sums[j + 1], weights[k], {b[2], b[3]});
    }
  }
}

/// cap * tanh(score / cap), by tanh(x) = 1 - 2 / (1 + e^(2 x)).
__device__ __forceinline__ float capped(float score, float cap) {
  const float power = fast_exp2(__fmul_rn(score, __fdividef(2.0f * kLog2E, cap)));
  return fmaf(-2.0f * cap, __fdividef(1.0f, 1.0f + power), cap);
}

/// Turns products into scores in log2 units. rows: the warp's. key_scales: of the lane's first key,
/// only for i8.
template <Pages kPages>
__device__ __forceinline__ void finish_scores(float (&scores)[kScoreTiles][4], const TileRow* rows,
                                              float soft_cap, const float* key_scales) {
  const float factor[2] = {rows[lane_row(0)].factor, rows[lane_row(1)].factor};
#pragma unroll
  for (int j = 0; j < kScoreTiles; ++j) {
    // Keeps the compiler from loading all scales at once, for which there are no registers.
    if constexpr (kPages == Pages::kI8) __syncwarp();
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if constexpr (kPages == Pages::kI8)
        scores[j][i] = __fmul_rn(scores[j][i], key_scales[8 * j + i % 2]);
      scores[j][i] = __fmul_rn(scores[j][i], factor[i / 2]);
    }
  }
  if (soft_cap <= 0.0f) return;
#pragma unroll
  for (int j = 0; j < kScoreTiles; ++j) {
#pragma unroll
    for (int i = 0; i < 4; ++i) scores[j][i] = __fmul_rn(capped(scores[j][i], soft_cap), kLog2E);
  }
}

/// Sets the scores of keys that a row does not see to -inf.
__device__ __forceinline__ void mask_scores(float (&scores)[kScoreTiles][4], const TileRow* rows,
                                            KeySpan span, int block) {
  const int last[2] = {rows[lane_row(0)].position, rows[lane_row(1)].position};
  const int first[2] = {first_key(last[0], span), first_key(last[1], span)};
#pragma unroll
  for (int j = 0; j < kScoreTiles; ++j) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int key = block + lane_index() % 4 * 2 + 8 * j + i % 2;
      const bool is_seen = key >= first[i / 2] && key <= last[i / 2];
      if (!is_seen) scores[j][i] = minus_infinity();
    }
  }
}

/// Turns scores into weights relative to the split's new maximum, and updates the state.
template <int kOwnDim>
__device__ __forceinline__ void weigh(float (&scores)[kScoreTiles][4], WarpRows& rows,
                                      float (&sums)[kOwnDim / 8][4]) {
#pragma unroll
  for (int row = 0; row < 2; ++row) {
    float m = rows.m[row];
#pragma unroll
    for (int j = 0; j < kScoreTiles; ++j)
      m = fmaxf(m, fmaxf(scores[j][2 * row], scores[j][2 * row + 1]));
    m = fmaxf(m, __shfl_xor_sync(kAllLanes, m, 1));
    m = fmaxf(m, __shfl_xor_sync(kAllLanes, m, 2));
    const float base = softmax_base(m);
    const float decay = fast_exp2(rows.m[row] - base);
    rows.m[row] = m;
    float total = 0.0f;
#pragma unroll
    for (int j = 0; j < kScoreTiles; ++j) {
#pragma unroll
      for (int i = 2 * row; i < 2 * row + 2; ++i) {
        scores[j][i] = fast_exp2(scores[j][i] - base);
        total += scores[j][i];
      }
    }
    rows.l[row] = fmaf(rows.l[row], decay, total);
#pragma unroll
    for (int j = 0; j < kOwnDim / 8; ++j) {
      sums[j][2 * row] = __fmul_rn(sums[j][2 * row], decay);
      sums[j][2 * row + 1] = __fmul_rn(sums[j][2 * row + 1], decay);
    }
  }
}

/// Packs weights for multiply_values, multiplied by the scales of i8 values. A weight of zero stays
/// zero, even if the scale of a slot that was never written is NaN.
template <Pages kPages>
__device__ __forceinline__ void pack_weights(uint32_t (&weights)[kKeyBlock / 16][4],
                                             float (&scores)[kScoreTiles][4],
                                             const float* value_scales) {
  using Traits = PageTraits<kPages>;
  constexpr float kMost = 65504.0f;
#pragma unroll
  for (int j = 0; j < kScoreTiles; ++j) {
    if constexpr (kPages == Pages::kI8) {
      __syncwarp();
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float scale = __fmul_rn(value_scales[8 * j + i % 2], Traits::kWeightUnit);
        const float weight = fminf(__fmul_rn(scores[j][i], scale), kMost);
        scores[j][i] = scores[j][i] > 0.0f ? weight : 0.0f;
      }
    }
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      weights[j / 2][j % 2 * 2 + row] =
          pack_halves<Traits::kHalf>(scores[j][2 * row], scores[j][2 * row + 1]);
    }
  }
}

}  // namespace quire::cuda
