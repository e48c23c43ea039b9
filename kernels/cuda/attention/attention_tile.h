#pragma once

#include "kernels/cuda/attention/attention_kernels.h"
#include "kernels/cuda/attention/attention_out.h"
#include "kernels/cuda/attention/attention_warp.h"
#include "kernels/cuda/device/launch_order.h"

namespace quire::cuda {

/// Loads a tile's queries as rows of halves. Each row is multiplied by the power of two that brings
/// its largest number to [1, 2), so that no half overflows. rows: receives the state of each row
/// before its first key. Dimensions from head_dim to kDim are zero; rows are padded to a multiple
/// of 16 with zeros that see the same keys as the last row.
template <Half kHalf, int kDim, int kParts>
__device__ __forceinline__ void load_queries(unsigned char* queries, TileRow* rows,
                                             const AttentionArguments& args,
                                             const PlannedTile& tile, int kv_head, float scale) {
  constexpr int kRowBytes = kDim * 2 + 16;
  constexpr int kPairs = kDim / 64;
  const int num_warps = static_cast<int>(blockDim.x) / kWarpSize;
  const int num_rows = (tile.num_rows + kWarpRows - 1) / kWarpRows * kWarpRows;
  for (int row = warp_index(); row < num_rows; row += num_warps) {
    const bool exists = row < tile.num_rows;
    const float* q = args.q;
    if (exists) {
      q += token_of(args, tile, row).row * args.q_stride +
           int64_t{head_of(args, tile, row, kv_head)} * args.head_dim;
    }
    float x[kPairs][2];
    float largest = 0.0f;
#pragma unroll
    for (int i = 0; i < kPairs; ++i) {
      const int d = 2 * lane_index() + 64 * i;
      const bool is_there = exists && d < args.head_dim;
      x[i][0] = is_there ? q[d] : 0.0f;
      x[i][1] = is_there ? q[d + 1] : 0.0f;
      largest = fmaxf(largest, fmaxf(fabsf(x[i][0]), fabsf(x[i][1])));
    }
    const int exponent = (__float_as_int(warp_max(largest)) >> 23 & 255) - 127;
    const int power = max(-126, min(126, exponent));
    const float down = __int_as_float((127 - power) << 23);
    auto* const out = reinterpret_cast<uint32_t*>(queries + row * kRowBytes);
#pragma unroll
    for (int i = 0; i < kPairs; ++i)
      out[lane_index() + 32 * i] = pack_halves<kHalf>(x[i][0] * down, x[i][1] * down);
    if (lane_index() == 0) {
      const int real = min(row, tile.num_rows - 1);
      const float2 initial = initial_weights(args.sinks, head_of(args, tile, real, kv_head));
      for (int part = 0; part < kParts; ++part) {
        rows[part * args.tile_rows + row] = {__int_as_float((127 + power) << 23) * scale,
                                             token_of(args, tile, real).position, initial.x,
                                             initial.y};
      }
    }
  }
}

/// A warp's part of a tile.
struct OwnPart {
  int row;        ///< Its first row.
  int first_dim;  ///< The first dimension of its sums.
};

/// Stores the state of a lane's row, which is folded later.
template <int kOwnDim>
__device__ __forceinline__ void store_state(const AttentionArguments& args, const PlannedTile& tile,
                                            int kv_head, const OwnPart& own, int i,
                                            const WarpRows& rows,
                                            const float (&sums)[kOwnDim / 8][4]) {
  const int row = own.row + lane_row(i);
  if (row >= tile.num_rows) return;
  const int64_t state = token_of(args, tile, row).state + tile.state_split;
  const int64_t at = state * args.num_heads + head_of(args, tile, row, kv_head);
  if (own.first_dim == 0 && lane_index() % 4 == 0)
    args.plan->state_weights[at] = make_float2(rows.m[i], rows.l[i]);
  float* const out =
      args.plan->states + at * args.state_stride + own.first_dim + lane_index() % 4 * 2;
#pragma unroll
  for (int j = 0; j < kOwnDim / 8; ++j) {
    if (own.first_dim + 8 * j < args.head_dim)
      *reinterpret_cast<float2*>(out + 8 * j) = make_float2(sums[j][2 * i], sums[j][2 * i + 1]);
  }
}

template <int kOwnDim>
__device__ __forceinline__ void store_row(const AttentionArguments& args, const PlannedTile& tile,
                                          int kv_head, const OwnPart& own, int i,
                                          const TileRow* rows,
                                          const float (&sums)[kOwnDim / 8][4]) {
  const int row = own.row + lane_row(i);
  if (row >= tile.num_rows) return;
  const HeadOut out(args, token_of(args, tile, row).row, head_of(args, tile, row, kv_head));
  const float inverse_l = inverse_weight(rows[lane_row(i)].folded_l);
  const auto dims = [&](int j) {
    return make_float2(normalised(sums[j][2 * i], inverse_l),
                       normalised(sums[j][2 * i + 1], inverse_l));
  };
  if (out.format == RowFormat::kI8) {
#pragma unroll
    for (int j = 0; j < kOwnDim / 8; j += 4) {
      if (own.first_dim + 8 * j >= args.head_dim) continue;
      out.store_group(own.first_dim + 8 * j, {dims(j), dims(j + 1), dims(j + 2), dims(j + 3)});
    }
  } else {
    const int first_dim = own.first_dim + lane_index() % 4 * 2;
#pragma unroll
    for (int j = 0; j < kOwnDim / 8; ++j) {
      if (own.first_dim + 8 * j >= args.head_dim) continue;
      const float2 two = dims(j);
      out.store_two(first_dim + 8 * j, two.x, two.y);
    }
  }
  if (own.first_dim == 0) out.clear_padding(args, lane_index() % 4, 4);
}

/// Stores the states of the warp's rows, or the results of their folded sums.
template <int kOwnDim>
__device__ __forceinline__ void store_rows(const AttentionArguments& args, const PlannedTile& tile,
                                           int kv_head, const OwnPart& own, const WarpRows& rows,
                                           const TileRow* own_rows,
                                           const float (&sums)[kOwnDim / 8][4]) {
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    if (tile.state_split >= 0) store_state<kOwnDim>(args, tile, kv_head, own, i, rows, sums);
    if (tile.state_split < 0) store_row<kOwnDim>(args, tile, kv_head, own, i, own_rows, sums);
  }
}

/// Folds the preceding splits, whose sums are in scratch (if has_scratch), and this one into `sums`
/// and the warp's rows. Called by all lanes of the warp.
template <int kOwnDim>
__device__ __forceinline__ void fold_split(TileRow* own_rows, const WarpRows& rows,
                                           float (&sums)[kOwnDim / 8][4], const float4* scratch,
                                           bool has_scratch) {
  Fold fold[2];
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    TileRow& row = own_rows[lane_row(i)];
    fold[i] = fold_states<false>(row.folded_m, rows.m[i]);
    const float l = fold_value(fold[i], row.folded_l, rows.l[i]);
    __syncwarp();
    if (lane_index() % 4 == 0) row.folded_m = fold[i].m;
    if (lane_index() % 4 == 0) row.folded_l = l;
    __syncwarp();
  }
#pragma unroll
  for (int j = 0; j < kOwnDim / 8; ++j) {
    float4 before = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (has_scratch) before = scratch[j * static_cast<int>(blockDim.x)];
    // Keeps the compiler from loading everything at once, for which there are no registers.
    if (j % 4 == 3) __syncwarp();
    sums[j][0] = fold_value(fold[0], before.x, sums[j][0]);
    sums[j][1] = fold_value(fold[0], before.y, sums[j][1]);
    sums[j][2] = fold_value(fold[1], before.z, sums[j][2]);
    sums[j][3] = fold_value(fold[1], before.w, sums[j][3]);
  }
}

/// Ends the softmax of a split: adds the lanes' parts of l, and multiplies the sums by kValueUnit.
template <Pages kPages, int kOwnDim>
__device__ __forceinline__ void end_split(WarpRows& rows, float (&sums)[kOwnDim / 8][4]) {
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    rows.l[i] += __shfl_xor_sync(kAllLanes, rows.l[i], 1);
    rows.l[i] += __shfl_xor_sync(kAllLanes, rows.l[i], 2);
  }
  if constexpr (PageTraits<kPages>::kValueUnit != 1.0f) {
#pragma unroll
    for (int j = 0; j < kOwnDim / 8; ++j) {
#pragma unroll
      for (int i = 0; i < 4; ++i)
        sums[j][i] = __fmul_rn(sums[j][i], PageTraits<kPages>::kValueUnit);
    }
  }
}

template <int kOwnDim>
__device__ __forceinline__ void clear(float (&sums)[kOwnDim / 8][4]) {
#pragma unroll
  for (int j = 0; j < kOwnDim / 8; ++j) {
#pragma unroll
    for (int i = 0; i < 4; ++i) sums[j][i] = 0.0f;
  }
}

/// The blocks of a multiprocessor that registers are allocated for. On sm_75 shared memory has room
/// for at most two.
constexpr int resident_blocks(int blocks) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  return blocks < 2 ? blocks : 2;
#else
  return blocks;
#endif
}

/// An item of the plan, for all threads of a block; in shared memory to save registers.
struct TileItem {
  PlannedTile tile;
  PageSource source;
  int32_t pages[2][kBlockPages];  ///< Of the current even and odd key blocks.
};

/// Loads a tile and the pages of its first block, with barriers before and after.
__device__ __forceinline__ void begin_item(TileItem& item, const AttentionArguments& args,
                                           int index, int kv_head) {
  const int thread = static_cast<int>(threadIdx.x);
  __syncthreads();
  if (thread < kBlockPages) {
    const PlannedTile tile = args.plan->tiles[args.tile_size][index];
    const PageSource source{args.block_tables + tile.sequence * args.table_stride,
                            kv_head * kPageKeys, args.num_kv_heads * kPageKeys, tile.key_begin,
                            tile.key_end};
    const int first = tile.key_begin / kKeyBlock;
    item.pages[first % 2][thread] = find_page(source, first * kKeyBlock, thread);
    if (thread == 0) item.tile = tile;
    if (thread == 0) item.source = source;
  }
  __syncthreads();
}

/// Clears shared memory, for dimensions that pages do not have: 0 times old contents may be NaN.
__device__ __forceinline__ void clear_shared(unsigned char* shared, int bytes) {
  for (int i = static_cast<int>(threadIdx.x) * 16; i < bytes;
       i += static_cast<int>(blockDim.x) * 16)
    *reinterpret_cast<uint4*>(shared + i) = make_uint4(0, 0, 0, 0);
}

/// Stores the folded sums in scratch while the next split is computed.
template <int kOwnDim>
__device__ __forceinline__ void keep_sums(float4* scratch, const float (&sums)[kOwnDim / 8][4]) {
#pragma unroll
  for (int j = 0; j < kOwnDim / 8; ++j) {
    scratch[j * static_cast<int>(blockDim.x)] =
        make_float4(sums[j][0], sums[j][1], sums[j][2], sums[j][3]);
  }
}

/// Begins to copy the scales of a block's i8 keys and values; a thread copies those of four keys.
__device__ __forceinline__ void stage_block_scales(float* scales, const AttentionArguments& args,
                                                   const TileItem& item, int block) {
  const int thread = static_cast<int>(threadIdx.x);
  const int32_t* const pages = item.pages[block / kKeyBlock % 2];
  float* const stage = scales + block / kKeyBlock % 2 * (2 * kKeyBlock);
  stage_scales(stage, args.key_scales, item.source, pages, block, thread);
  stage_scales(stage + kKeyBlock, args.value_scales, item.source, pages, block, thread - kWarpSize);
}

/// Computes tiles, one KV head of a tile after another; each kParts warps compute 16 rows. Warps
/// that share rows repeat the products with the keys and divide the products with the values: the
/// sums then take fewer registers, and the few rows of a decode use more than one warp. Pages are
/// copied to shared memory during the products with earlier ones: a block's values during the
/// products with its keys, the next block's keys during the products with the values. Decodes are
/// bound by reading pages (few rows: most warps only copy; several blocks share a multiprocessor),
/// prefills by tensor cores and by loading fragments from shared memory.
template <Pages kPages, int kDim, int kWarps, int kParts, int kMinBlocks>
__global__ void __launch_bounds__(kWarps* kWarpSize, resident_blocks(kMinBlocks))
    attention_tiles(AttentionArguments args) {
  begin_in_order();
  using Traits = PageTraits<kPages>;
  using Memory = TileMemory<kPages, kDim, kParts>;
  constexpr int kOwnDim = kDim / kParts;
  constexpr int kChunks = kDim * Traits::kBytes / 16;
  constexpr Half kHalf = Traits::kHalf;
  auto* const queries = dynamic_shared<unsigned char>();
  auto* const tile_rows = reinterpret_cast<TileRow*>(queries + Memory::tile_rows(args.tile_rows));
  auto* const scales = reinterpret_cast<float*>(queries + Memory::scales(args.tile_rows));
  unsigned char* const key_stage = queries + Memory::stages(args.tile_rows);
  const bool is_serial = args.is_serial != 0;
  unsigned char* const value_stage = key_stage + (is_serial ? 0 : Memory::kStageBytes);
  unsigned char* const widened = queries + Memory::widened(args.tile_rows, is_serial);
  unsigned char* const key_rows = Traits::kWidens ? widened : key_stage;
  unsigned char* const value_rows = Traits::kWidens ? widened : value_stage;
  const int row_bytes = args.head_dim * Traits::kBytes;
  const int thread = static_cast<int>(threadIdx.x);
  if (args.head_dim < kDim) {
    clear_shared(key_stage,
                 Memory::size(args.tile_rows, is_serial) - Memory::stages(args.tile_rows));
  }
  const float unit = args.scale * Traits::kKeyUnit * (args.soft_cap > 0.0f ? 1.0f : kLog2E);
  const auto own_scratch = [&] {
    return args.plan->scratch + int64_t{blockIdx.x} * (kOwnDim / 8) * (kWarps * kWarpSize) + thread;
  };
  const OwnPart own{warp_index() / kParts * kWarpRows, warp_index() % kParts * kOwnDim};
  TileRow* const own_rows = tile_rows + warp_index() % kParts * args.tile_rows + own.row;
  const int num_items = args.plan->num_tiles[args.tile_size] * args.num_kv_heads;

  for (int index = static_cast<int>(blockIdx.x); index < num_items;
       index += static_cast<int>(gridDim.x)) {
    __shared__ TileItem item;
    const int kv_head = index % args.num_kv_heads;
    begin_item(item, args, index / args.num_kv_heads, kv_head);
    const PlannedTile& tile = item.tile;
    int block = tile.key_begin / kKeyBlock * kKeyBlock;
    const auto stage = [&](unsigned char* to, const void* pool, int of_block) {
      stage_block<Memory::kStageRowBytes, kChunks>(
          to, pool, item.source, item.pages[of_block / kKeyBlock % 2], of_block, row_bytes);
    };
    const auto stage_keys = [&](int of_block) {
      if (of_block < tile.key_end) {
        stage(key_stage, args.keys, of_block);
        if constexpr (kPages == Pages::kI8) stage_block_scales(scales, args, item, of_block);
      }
      copy_async_commit();
    };
    const auto stage_values = [&] {
      stage(value_stage, args.values, block);
      copy_async_commit();
    };
    // Waits for all copies except those of the last commit.
    const auto wait = [&] {
      if (is_serial) copy_async_wait<0>();
      if (!is_serial) copy_async_wait<1>();
      __syncthreads();
    };
    const auto widen = [&](unsigned char* to, const unsigned char* from) {
      if constexpr (Traits::kWidens || Traits::kConverts) {
        widen_block<kPages, Memory::kRowBytes, Memory::kStageRowBytes>(to, from, row_bytes);
        __syncthreads();
      }
    };
    stage_keys(block);
    load_queries<kHalf, kDim, kParts>(queries, tile_rows, args, tile, kv_head, unit);
    WarpRows rows;
    begin_split(rows);
    float sums[kOwnDim / 8][4];
    clear<kOwnDim>(sums);
    bool has_scratch = false;
    const KeySpan span = args.span;
    const bool has_rows = own.row < tile.num_rows;

    for (; block < tile.key_end; block += kKeyBlock) {
      const int next = block + kKeyBlock;
      const int32_t next_page = thread < kBlockPages ? find_page(item.source, next, thread) : 0;
      if (!is_serial) stage_values();
      if (thread < kBlockPages) item.pages[next / kKeyBlock % 2][thread] = next_page;
      wait();
      widen(key_rows, key_stage);
      const bool is_seen = has_rows && sees_block(own_rows, span, block);
      uint32_t weights[kKeyBlock / 16][4];
      {
        float scores[kScoreTiles][4];
        if (is_seen) {
          const unsigned char* const own_queries = queries + own.row * Memory::kRowBytes;
          multiply_keys<kHalf, kDim>(scores, own_queries, key_rows);
        }
        __syncthreads();
        if (is_serial) stage_values();
        if (!is_serial) stage_keys(next);
        if (is_seen) {
          const float* const block_scales =
              scales + block / kKeyBlock % 2 * (2 * kKeyBlock) + lane_index() % 4 * 2;
          finish_scores<kPages>(scores, own_rows, args.soft_cap, block_scales);
          if (!sees_whole_block(own_rows, span, block)) mask_scores(scores, own_rows, span, block);
          weigh<kOwnDim>(scores, rows, sums);
          pack_weights<kPages>(weights, scores, block_scales + kKeyBlock);
        }
      }
      wait();
      widen(value_rows, value_stage);
      if (is_seen)
        multiply_values<kHalf, kDim, kOwnDim>(sums, weights, value_rows + own.first_dim * 2);
      __syncthreads();
      if (is_serial) stage_keys(next);
      if (next >= tile.key_end || split_of(next) == split_of(block)) continue;
      end_split<kPages, kOwnDim>(rows, sums);
      if (has_rows) fold_split<kOwnDim>(own_rows, rows, sums, own_scratch(), has_scratch);
      keep_sums<kOwnDim>(own_scratch(), sums);
      has_scratch = true;
      begin_split(rows);
      clear<kOwnDim>(sums);
    }
    end_split<kPages, kOwnDim>(rows, sums);
    if (has_rows) {
      if (tile.state_split < 0)
        fold_split<kOwnDim>(own_rows, rows, sums, own_scratch(), has_scratch);
      store_rows<kOwnDim>(args, tile, kv_head, own, rows, own_rows, sums);
    }
  }
}

template <Pages kPages, int kDim, int kWarps, int kParts, int kMinBlocks>
TileKernel tile_kernel_of() {
  return {attention_tiles<kPages, kDim, kWarps, kParts, kMinBlocks>, kWarps * 32,
          kWarps / kParts * kWarpRows, kDim / kParts, TileMemory<kPages, kDim, kParts>::size};
}

/// The kernel of a head size. The blocks of a multiprocessor are as many as registers allow.
template <Pages kPages>
TileKernel tile_kernel(int head_dim, TileSize size) {
  if (size == kLargeTiles) {
    if (head_dim <= 64) return tile_kernel_of<kPages, 64, 8, 1, 1>();
    if (head_dim <= 128) return tile_kernel_of<kPages, 128, 8, 1, 1>();
    return tile_kernel_of<kPages, 256, 8, 2, 1>();
  }
  if (head_dim <= 64) return tile_kernel_of<kPages, 64, 4, 1, 3>();
  if (head_dim <= 128) return tile_kernel_of<kPages, 128, 4, 2, 3>();
  return tile_kernel_of<kPages, 256, 4, 2, 2>();
}

}  // namespace quire::cuda
