#pragma once

#include <algorithm>

#include "kernels/cuda/device/launch_order.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/linear/few_inputs.h"

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
/// Quantised activations are copied instead. For more than eight rows a separate kernel quantises x
/// before unless it already is, and x is read from the caches: of halves rows / 32 times the bytes
/// of bf16 weights, which at 64 rows halves the rate.
namespace quire::cuda {

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
    // The later the next unit is loaded, the fewer registers both take.
    constexpr int kLoadAt = kTiles < 4 ? 0 : Cut::kUnitPairs * 3 / 4;
    multiply_pairs<0, kLoadAt>(sums, stream.held[0], inputs, pair);
    stream.load(1, next, 0);
    multiply_pairs<kLoadAt, Cut::kUnitPairs>(sums, stream.held[0], inputs, pair);
  } else {
#pragma unroll
    for (int u = 0; u < Cut::kUnits; ++u) {
      if (at.chunk * Cut::kUnits + u < stream.num_units) {
        multiply_pairs<0, Cut::kUnitPairs>(sums, stream.held[u % Cut::kHeld], inputs,
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
          finish_sum<kHasScaledInputs<Format>>(total,
                                               tile.bias == nullptr ? nullptr : tile.bias + column);
    }
  }
}

/// Grid: (blocks that share the sets of outputs, row tiles). A round is convert_chunks chunks, a
/// multiple of the number of warps, as many as fit in shared memory: their sums, and x if it is
/// staged.
template <typename Format, int kTiles>
__device__ __forceinline__ void multiply_few_rows(const GemmTask& gemm, int convert_chunks) {
  using Cut = FewRows<Format, kTiles>;
  if (gemm.tiles != nullptr) begin_in_order();
  const RowTile tile = find_row_tile(gemm, static_cast<int>(blockIdx.y), kTiles * 8);
  if (tile.data == nullptr) return;
  auto* const totals = dynamic_shared<float>();
  float* const chunk_sums = totals + Cut::kSums;
  uint4* const staged = reinterpret_cast<uint4*>(chunk_sums + convert_chunks * Cut::kChunkFloats);
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

  const auto inputs = find_inputs<Format, kTiles>(gemm, tile, staged, num_chunks, convert_chunks);
  if (Cut::kStaged && num_chunks <= convert_chunks) {
    stage_inputs<Format>(staged, gemm, tile, 0, num_chunks, convert_chunks);
    __syncthreads();
  }
  for (int set = static_cast<int>(blockIdx.x); set < num_sets; set += static_cast<int>(gridDim.x)) {
    for (int first = 0; first < num_chunks; first += convert_chunks) {
      const int end = min(first + convert_chunks, num_chunks);
      if (Cut::kStaged && num_chunks > convert_chunks) {
        stage_inputs<Format>(staged, gemm, tile, first, end, convert_chunks);
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

template <typename Format, int kTiles>
__global__ void __launch_bounds__(kFewThreads, kTiles == 1 ? 2 : 1)
    few_rows_kernel(const GemmTask gemm, int convert_chunks) {
  if constexpr (is_compiled<Format>()) {
    multiply_few_rows<Format, kTiles>(gemm, convert_chunks);
  } else {
    __trap();
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
  if (Cut::kStaged)
    chunk_bytes += static_cast<size_t>(rows) * FewInputs<Format, kTiles>::kChunkBytes;
  const size_t limit = std::min(queue.facts().max_shared_bytes, kMostBytes);
  constexpr size_t kTotalBytes = Cut::kSums * sizeof(float) + Cut::kPlacesBytes;
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
