#pragma once

#include <algorithm>

#include "kernels/cuda/device/async_copy.h"
#include "kernels/cuda/device/launch_order.h"
#include "kernels/cuda/device/tensor_core.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/linear/inputs.h"

/// GEMMs of up to 64 rows, bound by reading the weights once.
///
/// A block computes sets of 16 (or 32) outputs, one after another, for all rows of its tile. Its
/// eight warps share the chunks: the n-th chunk of the block belongs to warp n % 8, whatever its
/// set, so that all warps are busy even if the chunks of a set are no multiple of eight. A warp
/// loads the units of its next chunk into registers while it multiplies (8 KB of halves, some 2.3
/// KB of 4-bit codes); with 16 warps on a multiprocessor 128 or 37 KB are in flight. The H200's
/// memory needs some 20 KB (4.3 TB/s times 0.7 us for 132 multiprocessors). 4096 x 4096 in bf16 at
/// one row: 256 blocks, two on a multiprocessor, 33.6 MB in 7.8 us at the rate of a copy. To
/// approach it, the first weights are requested before anything else, and x (16 KB for each block,
/// an eighth of the weights, from the L2 cache) is rounded into shared memory meanwhile. 4-bit
/// types are bound by decoding as much as by memory: some 3 instructions per weight and lane of 5.5
/// available ones. Expected, not measured: 85 % of the copy's rate in bf16, 70 % in 4-bit types.
/// Half rows are copied instead. For more than eight rows, a separate kernel rounds x before unless
/// it is half rows, and x is read from the caches: rows / 32 times the bytes of bf16 weights, which
/// at 64 rows halves the rate.
namespace quire::cuda {

inline constexpr int kFewWarps = 8;
inline constexpr int kFewThreads = kFewWarps * kWarpSize;

/// The sizes of a kernel for kTiles times eight rows.
template <typename Format, int kTiles>
struct FewRows {
  /// Groups of 16 outputs in a set. With two, x is read half as often.
  static constexpr int kGroups = kTiles == 1 ? 1 : 2;
  static constexpr bool kStaged = kTiles == 1;  ///< x is in shared memory.
  static constexpr int kUnits = kChunkInputs / Format::kUnitInputs;
  static constexpr int kUnitPairs = Format::kUnitInputs / kPairInputs;
  /// Units in registers, loaded or being loaded.
  static constexpr int kHeld = kUnits == 1 || kTiles > 1 ? 2 : 4;
  /// Sums of a chunk in shared memory: eight rows, padded so that a fragment is stored without
  /// bank conflicts.
  static constexpr int kRowFloats = 20;
  static constexpr int kTileFloats = 8 * kRowFloats;
  static constexpr int kChunkFloats = kGroups * kTiles * kTileFloats;
  static constexpr int kSums = kGroups * kTiles * 8 * kUnitOutputs;
};

/// The position of a warp among the chunks of its block.
struct ChunkCursor {
  int set;
  int chunk;

  __device__ __forceinline__ void advance(int num_chunks) {
    chunk += kFewWarps;
    while (chunk >= num_chunks) {
      chunk -= num_chunks;
      set += static_cast<int>(gridDim.x);
    }
  }
};

/// The weights of a warp, loaded ahead from memory.
template <typename Format, int kTiles>
struct WeightStream {
  using Cut = FewRows<Format, kTiles>;

  const uint8_t* data;
  int num_units;
  int num_groups;
  typename Format::Unit held[Cut::kHeld][Cut::kGroups];

  /// Instead of a group past the end the last one is loaded; its sums are not stored.
  __device__ __forceinline__ void load(int slot, const ChunkCursor& at, int unit_of_chunk) {
    const int unit = at.chunk * Cut::kUnits + unit_of_chunk;
    const int first = at.set * Cut::kGroups;
    if (first >= num_groups || unit >= num_units) return;
#pragma unroll
    for (int g = 0; g < Cut::kGroups; ++g) {
      const int64_t group = min(first + g, num_groups - 1);
      const int64_t offset = (group * num_units + unit) * Format::kUnitBytes;
      held[slot][g] = Format::load(data + offset, lane_index());
    }
  }

  /// Loads the units of the first chunk, `next`, and advances `next`.
  __device__ __forceinline__ void begin(ChunkCursor& next, int num_chunks) {
    if constexpr (Cut::kUnits == 1) {
      load(1, next, 0);
    } else {
#pragma unroll
      for (int u = 0; u < Cut::kHeld; ++u) load(u, next, u);
    }
    next.advance(num_chunks);
  }
};

/// The activations in half precision as the lanes' fragments: vector p of a tile's row lane / 4.
template <typename Format, int kTiles>
struct FewInputs {
  using Cut = FewRows<Format, kTiles>;

  const uint4* vectors;
  uint32_t rows[kTiles];  ///< The lane's vector of the first pair.
  int pair_vectors;       ///< From a pair to the next.

  __device__ __forceinline__ uint4 load(int tile, int pair) const {
    return vectors[pair * pair_vectors + rows[tile]];
  }
};

/// sums += the unit times x. pair: the unit's first pair of steps, counted as FewInputs does.
/// (The array sizes are in parentheses because clang parses their commas as operators otherwise.)
template <typename Format, int kTiles>
__device__ __forceinline__ void multiply_unit(
    float (&sums)[(FewRows<Format, kTiles>::kGroups)][kTiles][4],
    const typename Format::Unit (&units)[(FewRows<Format, kTiles>::kGroups)],
    const FewInputs<Format, kTiles>& inputs, int pair) {
  using Cut = FewRows<Format, kTiles>;
#pragma unroll
  for (int p = 0; p < Cut::kUnitPairs; ++p) {
    uint32_t a[2][Cut::kGroups][4];
#pragma unroll
    for (int step = 0; step < 2; ++step) {
#pragma unroll
      for (int g = 0; g < Cut::kGroups; ++g) {
        Format::fragment(units[g], 2 * p + step, a[step][g]);
      }
    }
#pragma unroll
    for (int t = 0; t < kTiles; ++t) {
      const uint4 vector = inputs.load(t, pair + p);
#pragma unroll
      for (int step = 0; step < 2; ++step) {
        uint32_t b[2];
        input_fragment(b, vector, step);
#pragma unroll
        for (int g = 0; g < Cut::kGroups; ++g) {
          mma_m16n8k16<Format::kHalf>(sums[g][t], a[step][g], b);
        }
      }
    }
  }
}

/// Multiplies one chunk and loads the units of `next` in their place. pair: the chunk's first.
template <typename Format, int kTiles>
__device__ __forceinline__ void multiply_chunk(
    float (&sums)[(FewRows<Format, kTiles>::kGroups)][kTiles][4],
    WeightStream<Format, kTiles>& stream, const FewInputs<Format, kTiles>& inputs,
    const ChunkCursor& at, const ChunkCursor& next, int pair) {
  using Cut = FewRows<Format, kTiles>;
  if constexpr (Cut::kUnits == 1) {
#pragma unroll
    for (int g = 0; g < Cut::kGroups; ++g) stream.held[0][g] = stream.held[1][g];
    stream.load(1, next, 0);
    multiply_unit<Format, kTiles>(sums, stream.held[0], inputs, pair);
  } else {
#pragma unroll
    for (int u = 0; u < Cut::kUnits; ++u) {
      if (at.chunk * Cut::kUnits + u < stream.num_units) {
        multiply_unit<Format, kTiles>(sums, stream.held[u % Cut::kHeld], inputs,
                                      pair + u * Cut::kUnitPairs);
      }
      const bool is_here = u + Cut::kHeld < Cut::kUnits;
      stream.load(u % Cut::kHeld, is_here ? at : next, (u + Cut::kHeld) % Cut::kUnits);
    }
  }
}

/// Stores a chunk's sums in shared memory: row r of tile t, output o of group g at
/// (g * kTiles + t) * kTileFloats + r * kRowFloats + o.
template <typename Format, int kTiles>
__device__ __forceinline__ void store_chunk(
    float* chunk, const float (&sums)[(FewRows<Format, kTiles>::kGroups)][kTiles][4]) {
  using Cut = FewRows<Format, kTiles>;
  const int place = lane_index() % 4 * 2 * Cut::kRowFloats + lane_index() / 4;
#pragma unroll
  for (int g = 0; g < Cut::kGroups; ++g) {
#pragma unroll
    for (int t = 0; t < kTiles; ++t) {
      float* const tile = chunk + (g * kTiles + t) * Cut::kTileFloats + place;
#pragma unroll
      for (int d = 0; d < 4; ++d) tile[d % 2 * Cut::kRowFloats + d / 2 * 8] = sums[g][t][d];
    }
  }
}

/// As stage_inputs, of x as half rows.
__device__ inline void stage_halves(uint4* staged, const GemmTask& gemm, const RowTile& tile,
                                    int first, int end) {
  const int64_t row_vectors = num_chunks_of(gemm.num_inputs) * kChunkVectors;
  const int num_vectors = (end - first) * kChunkVectors;
#pragma unroll 1
  for (int row = 0; row < tile.num_rows; ++row) {
    const uint4* const x = gemm.halves + x_row(gemm, tile.first_row + row) * row_vectors +
                           int64_t{first} * kChunkVectors;
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < num_vectors; i += kFewThreads) {
      const int pair = i / kPairVectors;
      copy_async_16(staged + (pair * tile.num_rows + row) * kPairVectors + i % kPairVectors, x + i);
    }
  }
  copy_async_commit();
  copy_async_wait<0>();
}

/// Copies the chunks [first, end) of x to shared memory for a tile's rows, rounded unless x is half
/// rows: pair p of row r as four vectors at (p * num_rows + r) * 4.
template <Half kHalf>
__device__ void stage_inputs(uint4* staged, const GemmTask& gemm, const RowTile& tile, int first,
                             int end) {
  if (gemm.x == nullptr) return stage_halves(staged, gemm, tile, first, end);
  const int num_vectors = (end - first) * kChunkVectors * tile.num_rows;
  const bool is_aligned = has_aligned_rows(gemm.x, gemm.x_stride);
  for (int i = static_cast<int>(threadIdx.x); i < num_vectors; i += kFewThreads) {
    const int row = i / kPairVectors % tile.num_rows;
    const int pair = i / kPairVectors / tile.num_rows;
    const float* const x = gemm.x + x_row(gemm, tile.first_row + row) * gemm.x_stride;
    const int64_t index = int64_t{first} * kChunkVectors + pair * kPairVectors + i % kPairVectors;
    staged[i] = convert_vector<kHalf>(x, index, gemm.num_inputs, is_aligned);
  }
}

template <typename Format, int kTiles>
__device__ __forceinline__ FewInputs<Format, kTiles> find_inputs(const GemmTask& gemm,
                                                                 const RowTile& tile,
                                                                 const uint4* staged,
                                                                 int num_chunks) {
  using Cut = FewRows<Format, kTiles>;
  FewInputs<Format, kTiles> inputs;
  inputs.vectors = Cut::kStaged ? staged : gemm.halves;
  inputs.pair_vectors = Cut::kStaged ? tile.num_rows * kPairVectors : kPairVectors;
#pragma unroll
  for (int t = 0; t < kTiles; ++t) {
    // Instead of a row past the end the last one is used; its sums are not stored.
    const int row = min(t * 8 + lane_index() / 4, tile.num_rows - 1);
    const auto vectors = Cut::kStaged
                             ? static_cast<int64_t>(row) * kPairVectors
                             : x_row(gemm, tile.first_row + row) * num_chunks * kChunkVectors;
    inputs.rows[t] = static_cast<uint32_t>(vectors + lane_index() % 4);
  }
  return inputs;
}

/// A round's part of a set's sums.
struct Round {
  int set;
  int first;  ///< Its chunks: [first, end).
  int end;
  bool is_last;
};

/// Adds the sums of the round's chunks to the totals in ascending order, and stores the totals if
/// it is the last round. chunks, totals: in shared memory.
template <typename Format, int kTiles>
__device__ __forceinline__ void add_chunks(float* totals, const float* chunks, const Round& round,
                                           const GemmTask& gemm) {
  using Cut = FewRows<Format, kTiles>;
  // Loaded again to save registers.
  const RowTile tile = find_row_tile(gemm, static_cast<int>(blockIdx.y), kTiles * 8);
  for (int sum = static_cast<int>(threadIdx.x); sum < Cut::kSums; sum += kFewThreads) {
    const int output = sum % kUnitOutputs;
    const int row = sum / kUnitOutputs % (kTiles * 8);
    const int group = sum / kUnitOutputs / (kTiles * 8);
    if (row >= tile.num_rows) continue;
    const float* const place =
        chunks + (group * kTiles + row / 8) * Cut::kTileFloats + row % 8 * Cut::kRowFloats + output;
    float total = round.first == 0 ? kEmptySum : totals[sum];
#pragma unroll 4
    for (int c = 0; c < round.end - round.first; ++c) {
      total = __fadd_rn(total, place[c * Cut::kChunkFloats]);
    }
    const int column = (round.set * Cut::kGroups + group) * kUnitOutputs + output;
    if (!round.is_last) {
      totals[sum] = total;
    } else if (column < gemm.num_outputs) {
      gemm.out[out_row(gemm, tile.first_row + row) * gemm.out_stride + column] =
          finish_sum<Format::kHalf>(total, tile.bias == nullptr ? nullptr : tile.bias + column);
    }
  }
}

/// Grid: (blocks that share the sets of outputs, row tiles). A round is convert_chunks chunks, a
/// multiple of the number of warps, as many as fit in shared memory: their sums, and x if it is
/// staged.
template <typename Format, int kTiles>
__global__ void __launch_bounds__(kFewThreads, kTiles == 1 ? 2 : 1)
    few_rows_kernel(const GemmTask gemm, int convert_chunks) {
  using Cut = FewRows<Format, kTiles>;
  if (gemm.tiles != nullptr) begin_in_order();
  const RowTile tile = find_row_tile(gemm, static_cast<int>(blockIdx.y), kTiles * 8);
  if (tile.data == nullptr) return;
  auto* const totals = dynamic_shared<float>();
  float* const chunk_sums = totals + Cut::kSums;
  auto* const staged = reinterpret_cast<uint4*>(chunk_sums + convert_chunks * Cut::kChunkFloats);
  const auto num_chunks = static_cast<int>(num_chunks_of(gemm.num_inputs));
  const int num_groups = (gemm.num_outputs + kUnitOutputs - 1) / kUnitOutputs;
  const int num_sets = (num_groups + Cut::kGroups - 1) / Cut::kGroups;

  WeightStream<Format, kTiles> stream;
  stream.data = tile.data;
  stream.num_units = gemm.num_units;
  stream.num_groups = num_groups;
  ChunkCursor at = {static_cast<int>(blockIdx.x), warp_index() - kFewWarps};
  at.advance(num_chunks);
  ChunkCursor next = at;
  stream.begin(next, num_chunks);
  // By now the first weights are on their way: no kernel of a step writes weights.
  if (gemm.tiles == nullptr) begin_in_order();

  const auto inputs = find_inputs<Format, kTiles>(gemm, tile, staged, num_chunks);
  if (Cut::kStaged && num_chunks <= convert_chunks) {
    stage_inputs<Format::kHalf>(staged, gemm, tile, 0, num_chunks);
    __syncthreads();
  }
  for (int set = static_cast<int>(blockIdx.x); set < num_sets; set += static_cast<int>(gridDim.x)) {
    for (int first = 0; first < num_chunks; first += convert_chunks) {
      const int end = min(first + convert_chunks, num_chunks);
      if (Cut::kStaged && num_chunks > convert_chunks) {
        stage_inputs<Format::kHalf>(staged, gemm, tile, first, end);
        __syncthreads();
      }
      while (at.set == set && at.chunk < end) {
        float sums[Cut::kGroups][kTiles][4] = {};
        const int pair = (Cut::kStaged ? at.chunk - first : at.chunk) * kChunkPairs;
        multiply_chunk<Format, kTiles>(sums, stream, inputs, at, next, pair);
        store_chunk<Format, kTiles>(chunk_sums + (at.chunk - first) * Cut::kChunkFloats, sums);
        at = next;
        next.advance(num_chunks);
      }
      __syncthreads();
      add_chunks<Format, kTiles>(totals, chunk_sums, {set, first, end, end == num_chunks}, gemm);
      __syncthreads();
    }
  }
}

/// The number of blocks along the outputs: the blocks that run at once share the sets evenly.
/// num_sets: of one row tile. resident: the most blocks of a multiprocessor; fewer only if a
/// sixteenth of the work is saved, because a block that is alone hides none of its barriers.
inline unsigned blocks_for_sets(int64_t num_sets, int64_t num_tiles, int num_multiprocessors,
                                int resident) {
  int64_t best_cost = 0;
  int64_t sets_of_block = 1;
  for (int blocks = resident; blocks >= 1; --blocks) {
    const int64_t places = int64_t{blocks} * num_multiprocessors;
    const int64_t sets = (num_sets * num_tiles + places - 1) / places;
    if (blocks < resident && 16 * blocks * sets >= 15 * best_cost) continue;
    best_cost = blocks * sets;
    sets_of_block = sets;
  }
  return grid_size(num_sets, std::min(sets_of_block, num_sets));
}

template <typename Format, int kTiles>
void launch_few_rows(CommandQueue& queue, const char* operation, const GemmTask& gemm,
                     int num_tiles) {
  using Cut = FewRows<Format, kTiles>;
  // Two blocks on sm_80, sm_90 and sm_100; the others have 64 or 100 KB for all their blocks.
  constexpr size_t kMostBytes = 100 * 1024;
  const auto num_chunks = static_cast<int>(num_chunks_of(gemm.num_inputs));
  const int rows = gemm.tiles != nullptr ? kTiles * 8 : std::min(gemm.num_rows, kTiles * 8);
  size_t chunk_bytes = Cut::kChunkFloats * sizeof(float);
  if (Cut::kStaged) chunk_bytes += static_cast<size_t>(rows) * kChunkVectors * sizeof(uint4);
  const size_t limit = std::min(queue.facts().max_shared_bytes, kMostBytes);
  constexpr size_t kTotalBytes = Cut::kSums * sizeof(float);
  const auto fitting =
      static_cast<int>((limit - kTotalBytes) / chunk_bytes) / kFewWarps * kFewWarps;
  CHECK(fitting > 0);
  const int convert_chunks =
      std::min(fitting, (num_chunks + kFewWarps - 1) / kFewWarps * kFewWarps);
  const int64_t set_outputs = Cut::kGroups * kUnitOutputs;
  const int64_t num_sets = (gemm.num_outputs + set_outputs - 1) / set_outputs;
  const size_t shared_bytes = kTotalBytes + static_cast<size_t>(convert_chunks) * chunk_bytes;
  const auto kernel = few_rows_kernel<Format, kTiles>;
  const int resident = queue.resident_blocks(reinterpret_cast<const void*>(kernel), kFewThreads,
                                             shared_bytes, operation);
  const unsigned blocks =
      blocks_for_sets(num_sets, num_tiles, queue.facts().num_multiprocessors, resident);
  launch_early(queue, operation, kernel,
               {.grid = {blocks, static_cast<unsigned>(num_tiles)},
                .block = {kFewThreads},
                .shared_bytes = shared_bytes},
               gemm, convert_chunks);
}

}  // namespace quire::cuda
