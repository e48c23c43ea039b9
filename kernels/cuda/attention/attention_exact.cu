// The kernels of attention without tensor cores: attention in f32, and the fold of splits.

#include "kernels/base/check.h"
#include "kernels/cuda/attention/attention_kernels.h"
#include "kernels/cuda/attention/attention_out.h"
#include "kernels/cuda/attention/attention_state.h"
#include "kernels/cuda/device/launch_order.h"

namespace quire::cuda {
namespace {

constexpr int kWarps = 4;
/// The rows of a warp, and the most dimensions. Wider heads have fewer rows, so that registers hold
/// the sums and static shared memory, which is 48 KiB on every GPU, the queries.
template <int kRows, int kDim>
struct ExactSize {
  static constexpr int kRowsOfWarp = kRows;
  static constexpr int kTileRows = kWarps * kRows;
  static constexpr int kMaxDim = kDim;
  static constexpr int kDimsOfLane = kDim / kWarpSize;
};
using NarrowHeads = ExactSize<4, 256>;
using WideHeads = ExactSize<2, kMaxHeadDim>;

/// Keys are staged for this many dimensions at a time; one more keeps lanes in different banks.
constexpr int kStagedDims = 32;
constexpr int kStageStride = kStagedDims + 1;

/// Element i of a pool. slot: of the element, for the scale of i8.
template <DType kType>
__device__ __forceinline__ float element(const void* pool, const float* scales, int64_t slot,
                                         int64_t i) {
  if constexpr (kType == DType::kF32) return static_cast<const float*>(pool)[i];
  if constexpr (kType == DType::kF16) return f16_to_float(static_cast<const uint16_t*>(pool)[i]);
  if constexpr (kType == DType::kBF16) return bf16_to_float(static_cast<const uint16_t*>(pool)[i]);
  if constexpr (kType == DType::kF8E4M3)
    return f8_e4m3_to_float(static_cast<const uint8_t*>(pool)[i]);
  return __fmul_rn(static_cast<float>(static_cast<const int8_t*>(pool)[i]), scales[slot]);
}

/// The shared memory of a thread block.
template <class Size>
struct Shared {
  PlannedTile tile;
  float queries[Size::kTileRows][Size::kMaxDim];
  float stage[kKeyBlock][kStageStride];
  float weights[Size::kTileRows][kKeyBlock];
};
static_assert(sizeof(Shared<NarrowHeads>) <= 32768 && sizeof(Shared<WideHeads>) <= 32768);

/// The rows of a warp. Every lane has m and l, and the sums of the dimensions lane + 32 j.
template <class Size>
struct Rows {
  int position[Size::kRowsOfWarp];
  float m[Size::kRowsOfWarp];
  float l[Size::kRowsOfWarp];
  float sums[Size::kRowsOfWarp][Size::kDimsOfLane];
};

template <class Size>
__device__ __forceinline__ void clear(Rows<Size>& rows) {
#pragma unroll
  for (int r = 0; r < Size::kRowsOfWarp; ++r) {
    rows.m[r] = minus_infinity();
    rows.l[r] = 0.0f;
#pragma unroll
    for (int j = 0; j < Size::kDimsOfLane; ++j) rows.sums[r][j] = 0.0f;
  }
}

__device__ __forceinline__ int64_t slot_of(const AttentionArguments& args, const PlannedTile& tile,
                                           int kv_head, int key) {
  const int32_t page = args.block_tables[tile.sequence * args.table_stride + key / kPageKeys];
  return (int64_t{page} * args.num_kv_heads + kv_head) * kPageKeys + key % kPageKeys;
}

/// products = queries times the keys block + lane and block + 32 + lane, dimensions ascending.
template <DType kType, class Size>
__device__ __forceinline__ void multiply_keys(float (&products)[Size::kRowsOfWarp][2],
                                              Shared<Size>& shared, const AttentionArguments& args,
                                              int kv_head, int block) {
#pragma unroll
  for (int r = 0; r < Size::kRowsOfWarp; ++r) products[r][0] = products[r][1] = 0.0f;
  const int lane = lane_index();
  const PlannedTile& tile = shared.tile;
  for (int first = 0; first < args.head_dim; first += kStagedDims) {
    __syncthreads();
    for (int i = warp_index(); i < kKeyBlock; i += kWarps) {
      const int key = block + i;
      const bool is_there =
          key >= tile.key_begin && key < tile.key_end && first + lane < args.head_dim;
      const int64_t slot = is_there ? slot_of(args, tile, kv_head, key) : 0;
      const int64_t at = slot * args.head_dim + first + lane;
      shared.stage[i][lane] =
          is_there ? element<kType>(args.keys, args.key_scales, slot, at) : 0.0f;
    }
    __syncthreads();
    const int count = min(kStagedDims, args.head_dim - first);
    for (int d = 0; d < count; ++d) {
#pragma unroll
      for (int r = 0; r < Size::kRowsOfWarp; ++r) {
        const float q = shared.queries[warp_index() * Size::kRowsOfWarp + r][first + d];
        products[r][0] = fmaf(q, shared.stage[lane][d], products[r][0]);
        products[r][1] = fmaf(q, shared.stage[lane + 32][d], products[r][1]);
      }
    }
  }
}

__device__ __forceinline__ float score_of(const AttentionArguments& args, float product) {
  float score = __fmul_rn(product, args.scale);
  if (args.soft_cap > 0.0f)
    score = __fmul_rn(args.soft_cap, tanhf(__fdiv_rn(score, args.soft_cap)));
  return __fmul_rn(score, kLog2E);
}

/// Turns products into weights in shared memory, and rescales the sums to the new maximum.
template <class Size>
__device__ __forceinline__ void weigh(float (&products)[Size::kRowsOfWarp][2], Rows<Size>& rows,
                                      Shared<Size>& shared, const AttentionArguments& args,
                                      int block) {
  const int lane = lane_index();
#pragma unroll
  for (int r = 0; r < Size::kRowsOfWarp; ++r) {
    const int first = first_key(rows.position[r], args.span);
    float score[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int key = block + lane + 32 * i;
      const bool is_seen = key >= first && key <= rows.position[r];
      score[i] = is_seen ? score_of(args, products[r][i]) : minus_infinity();
    }
    const float m = fmaxf(rows.m[r], warp_max(fmaxf(score[0], score[1])));
    const float base = softmax_base(m);
    const float decay = exp2f(rows.m[r] - base);
    rows.m[r] = m;
    score[0] = exp2f(score[0] - base);
    score[1] = exp2f(score[1] - base);
    rows.l[r] = fmaf(rows.l[r], decay, score[0] + score[1]);
    shared.weights[warp_index() * Size::kRowsOfWarp + r][lane] = score[0];
    shared.weights[warp_index() * Size::kRowsOfWarp + r][lane + 32] = score[1];
#pragma unroll
    for (int j = 0; j < Size::kDimsOfLane; ++j) rows.sums[r][j] = __fmul_rn(rows.sums[r][j], decay);
  }
  __syncwarp();
}

/// sums += weights values, keys ascending.
template <DType kType, class Size>
__device__ __forceinline__ void multiply_values(Rows<Size>& rows, const Shared<Size>& shared,
                                                const AttentionArguments& args, int kv_head,
                                                int block) {
  const PlannedTile& tile = shared.tile;
  const int end = min(block + kKeyBlock, tile.key_end);
  for (int key = max(block, tile.key_begin); key < end; ++key) {
    const int64_t slot = slot_of(args, tile, kv_head, key);
#pragma unroll
    for (int j = 0; j < Size::kDimsOfLane; ++j) {
      const int d = lane_index() + kWarpSize * j;
      if (d >= args.value_dim) continue;
      const float value =
          element<kType>(args.values, args.value_scales, slot, slot * args.value_dim + d);
#pragma unroll
      for (int r = 0; r < Size::kRowsOfWarp; ++r) {
        const float weight = shared.weights[warp_index() * Size::kRowsOfWarp + r][key - block];
        rows.sums[r][j] = fmaf(weight, value, rows.sums[r][j]);
      }
    }
  }
  __syncwarp();
}

/// Folds the split of `rows` into `folded`, and clears `rows`.
template <class Size>
__device__ __forceinline__ void fold_rows(Rows<Size>& folded, Rows<Size>& rows) {
#pragma unroll
  for (int r = 0; r < Size::kRowsOfWarp; ++r) {
    const Fold fold = fold_states<true>(folded.m[r], rows.m[r]);
    folded.m[r] = fold.m;
    folded.l[r] = fold_value(fold, folded.l[r], rows.l[r]);
#pragma unroll
    for (int j = 0; j < Size::kDimsOfLane; ++j)
      folded.sums[r][j] = fold_value(fold, folded.sums[r][j], rows.sums[r][j]);
  }
  clear(rows);
}

template <class Size>
__device__ __forceinline__ void store_rows(const AttentionArguments& args,
                                           const Shared<Size>& shared, int kv_head,
                                           const Rows<Size>& rows) {
  const PlannedTile& tile = shared.tile;
  const bool keeps_state = tile.state_split >= 0;
#pragma unroll
  for (int r = 0; r < Size::kRowsOfWarp; ++r) {
    const int row = tile.first_row + warp_index() * Size::kRowsOfWarp + r;
    if (row >= tile.first_row + tile.num_rows) continue;
    const PlannedToken token = args.plan->tokens[row / args.group];
    const int head = kv_head * args.group + row % args.group;
    const int64_t state = int64_t{token.state} + tile.state_split;
    const int64_t at = state * args.num_heads + head;
    if (keeps_state && lane_index() == 0)
      args.plan->state_weights[at] = make_float2(rows.m[r], rows.l[r]);
    const HeadOut out(args, token.row, head);
    const float factor = inverse_weight(rows.l[r]);
#pragma unroll
    for (int j = 0; j < Size::kDimsOfLane; ++j) {
      const int d = lane_index() + kWarpSize * j;
      if (d >= args.value_dim) continue;
      if (keeps_state) args.plan->states[at * args.state_stride + d] = rows.sums[r][j];
      if (!keeps_state) out.store(d, normalised(rows.sums[r][j], factor));
    }
    if (!keeps_state) out.clear_padding(args, lane_index(), kWarpSize);
  }
}

/// Loads the tile's queries, and the rows' positions and sinks.
template <class Size>
__device__ __forceinline__ void begin_rows(const AttentionArguments& args, Shared<Size>& shared,
                                           int kv_head, Rows<Size>& rows, Rows<Size>& folded) {
  clear(rows);
  clear(folded);
#pragma unroll
  for (int r = 0; r < Size::kRowsOfWarp; ++r) {
    const int of_tile = warp_index() * Size::kRowsOfWarp + r;
    const int row = shared.tile.first_row + min(of_tile, shared.tile.num_rows - 1);
    const PlannedToken token = args.plan->tokens[row / args.group];
    const int head = kv_head * args.group + row % args.group;
    rows.position[r] = folded.position[r] = token.position;
    const float2 initial = initial_weights(args.sinks, head);
    folded.m[r] = initial.x;
    folded.l[r] = initial.y;
    const float* const q = args.q + token.row * args.q_stride + int64_t{head} * args.head_dim;
    for (int d = lane_index(); d < args.head_dim; d += kWarpSize) shared.queries[of_tile][d] = q[d];
  }
}

/// Attention in f32: for pages in f32, and for head sizes that the tile kernels do not support. A
/// warp computes a few rows; bound by shared memory.
template <DType kType, class Size>
__global__ void __launch_bounds__(kWarps* kWarpSize) attention_exact(AttentionArguments args) {
  begin_in_order();
  __shared__ Shared<Size> shared;
  const int num_items = args.plan->num_tiles[args.tile_size] * args.num_kv_heads;
  for (int item = static_cast<int>(blockIdx.x); item < num_items;
       item += static_cast<int>(gridDim.x)) {
    const int kv_head = item % args.num_kv_heads;
    __syncthreads();
    if (threadIdx.x == 0) shared.tile = args.plan->tiles[args.tile_size][item / args.num_kv_heads];
    __syncthreads();
    Rows<Size> rows;
    Rows<Size> folded;
    begin_rows(args, shared, kv_head, rows, folded);
    for (int block = shared.tile.key_begin / kKeyBlock * kKeyBlock; block < shared.tile.key_end;
         block += kKeyBlock) {
      float products[Size::kRowsOfWarp][2];
      multiply_keys<kType>(products, shared, args, kv_head, block);
      weigh(products, rows, shared, args, block);
      multiply_values<kType>(rows, shared, args, kv_head, block);
      const int next = block + kKeyBlock;
      if (next < shared.tile.key_end && split_of(next) == split_of(block)) continue;
#pragma unroll
      for (int r = 0; r < Size::kRowsOfWarp; ++r) rows.l[r] = warp_sum(rows.l[r]);
      if (shared.tile.state_split < 0) fold_rows(folded, rows);
    }
    if (shared.tile.state_split < 0) store_rows(args, shared, kv_head, folded);
    if (shared.tile.state_split >= 0) store_rows(args, shared, kv_head, rows);
  }
}

/// One warp for each head of a row: folds the states of its splits in ascending order, as within a
/// tile, and writes the output. Bound by reading the states, which are mostly in the L2 cache.
template <bool kExact, int kMaxDim>
__global__ void __launch_bounds__(kFoldThreads) attention_fold(AttentionArguments args) {
  begin_in_order();
  constexpr int kDimsOfLane = kMaxDim / kWarpSize;
  const DevicePlan& plan = *args.plan;
  const int num_items = plan.num_folds * args.num_heads;
  const int num_warps = static_cast<int>(gridDim.x) * (kFoldThreads / kWarpSize);
  const int first = static_cast<int>(blockIdx.x) * (kFoldThreads / kWarpSize) + warp_index();
  for (int item = first; item < num_items; item += num_warps) {
    const PlannedFold fold = plan.folds[item / args.num_heads];
    const int head = item % args.num_heads;
    float2 folded = initial_weights(args.sinks, head);
    float sums[kDimsOfLane];
#pragma unroll
    for (int j = 0; j < kDimsOfLane; ++j) sums[j] = 0.0f;
#pragma unroll 4
    for (int i = 0; i < fold.num_states; ++i) {
      const int64_t at = (int64_t{fold.first_state} + i) * args.num_heads + head;
      const float2 weights = plan.state_weights[at];
      const Fold step = fold_states<kExact>(folded.x, weights.x);
      folded = make_float2(step.m, fold_value(step, folded.y, weights.y));
      const float* const values = plan.states + at * args.state_stride + lane_index();
#pragma unroll
      for (int j = 0; j < kDimsOfLane; ++j) {
        if (lane_index() + kWarpSize * j < args.value_dim)
          sums[j] = fold_value(step, sums[j], values[kWarpSize * j]);
      }
    }
    const float factor = inverse_weight(folded.y);
    const HeadOut out(args, fold.row, head);
#pragma unroll
    for (int j = 0; j < kDimsOfLane; ++j) {
      const int d = lane_index() + kWarpSize * j;
      if (d < args.value_dim) out.store(d, normalised(sums[j], factor));
    }
    out.clear_padding(args, lane_index(), kWarpSize);
  }
}

}  // namespace

namespace {

template <class Size>
AttentionKernel exact_kernel_of(DType dtype) {
  switch (dtype) {
    case DType::kF16:
      return attention_exact<DType::kF16, Size>;
    case DType::kBF16:
      return attention_exact<DType::kBF16, Size>;
    case DType::kF8E4M3:
      return attention_exact<DType::kF8E4M3, Size>;
    case DType::kI8:
      return attention_exact<DType::kI8, Size>;
    default:
      return attention_exact<DType::kF32, Size>;
  }
}

}  // namespace

ExactKernel exact_kernel(DType dtype, int dim) {
  if (dim <= NarrowHeads::kMaxDim) {
    return {exact_kernel_of<NarrowHeads>(dtype), NarrowHeads::kTileRows};
  }
  return {exact_kernel_of<WideHeads>(dtype), WideHeads::kTileRows};
}

AttentionKernel fold_kernel(bool is_exact, int value_dim) {
  if (value_dim > NarrowHeads::kMaxDim) {
    CHECK(is_exact);
    return attention_fold<true, WideHeads::kMaxDim>;
  }
  return is_exact ? attention_fold<true, NarrowHeads::kMaxDim>
                  : attention_fold<false, NarrowHeads::kMaxDim>;
}

}  // namespace quire::cuda
