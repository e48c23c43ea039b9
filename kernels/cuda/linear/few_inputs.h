#pragma once

#include "kernels/cuda/device/async_copy.h"
#include "kernels/cuda/device/tensor_core.h"
#include "kernels/cuda/linear/int8_gemm.h"

/// The inputs of few_rows.h: halves or int8 activations, in shared memory for up to eight rows, and
/// their products with a unit of weights.
namespace quire::cuda {

inline constexpr int kFewWarps = 8;
inline constexpr int kFewThreads = kFewWarps * kWarpSize;

/// The sizes of a kernel for kTiles times eight rows.
template <typename Format, int kTiles>
struct FewRows {
  /// Groups of 16 outputs in a set. With two, x is read half as often; two of Q6_K in int8 do not
  /// fit into the registers beside four tiles.
  static constexpr bool kIsLarge =
      Int8GemmFormat<Format> && Format::kUnitBytes > 3072 && kTiles == 4;
  static constexpr int kGroups = kTiles == 1 || kIsLarge ? 1 : 2;
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
  static constexpr int kPlacesBytes = Int8GemmFormat<Format> && !kStaged ? kTiles * 8 * 4 : 0;
};

/// x as halves: the lanes' fragments.
template <typename Format, int kTiles>
struct FewInputs {
  using Cut = FewRows<Format, kTiles>;
  static constexpr int kChunkBytes = kChunkVectors * int{sizeof(uint4)};  ///< Of a staged row.

  const uint4* vectors;
  uint32_t rows[kTiles];  ///< The lane's vector of the first pair.
  int pair_vectors;       ///< From a pair to the next.

  __device__ __forceinline__ uint4 load(int tile, int pair) const {
    return vectors[pair * pair_vectors + rows[tile]];
  }
};

/// x as int8 activations: the lanes' words, and what the lanes' two columns of a product are scaled
/// by.
template <Int8GemmFormat Format, int kTiles>
struct FewInputs<Format, kTiles> {
  using Cut = FewRows<Format, kTiles>;
  static constexpr int kChunkBytes = kChunkInt8Vectors * int{sizeof(uint4)};

  const uint4* vectors;
  const Int8Scales* scales;
  uint32_t rows[kTiles];   ///< The lane's vector of the first block.
  int block_vectors;       ///< From a block to the next.
  int num_rows;            ///< Of staged rows.
  const uint32_t* places;  ///< (8 kTiles), in shared memory: of rows that are not staged.
  SumOrigin origin;

  __device__ __forceinline__ explicit FewInputs(const GemmTask& gemm) : origin(gemm) {}

  __device__ __forceinline__ Int8Inputs load(int tile, int group) const {
    const int block = group / 2;
    Int8Inputs x;
    x.words =
        reinterpret_cast<const uint2*>(vectors + (block * block_vectors + rows[tile]))[group % 2];
    const int column = lane_index() % 4 * 2;
    if constexpr (Cut::kStaged) {
      const Int8Scales* const of_block = scales + block * num_rows;
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        x.columns[i] = of_block[min(column + i, num_rows - 1)].groups[group % 2];
      }
    } else {
      const uint2 of_columns = reinterpret_cast<const uint2*>(places + tile * 8)[column / 2];
      const Int8Scales* const of_block = scales + block * block_vectors;
      x.columns[0] = of_block[of_columns.x].groups[group % 2];
      x.columns[1] = of_block[of_columns.y].groups[group % 2];
    }
    return x;
  }
};

/// sums += pairs [kBegin, kEnd) of the unit times x. pair: the unit's first 32 inputs, counted as
/// FewInputs does.
/// (The array sizes are in parentheses because clang parses their commas as operators otherwise.)
template <int kBegin, int kEnd, typename Format, int kTiles>
__device__ __forceinline__ void multiply_pairs(
    float (&sums)[(FewRows<Format, kTiles>::kGroups)][kTiles][4],
    const typename Format::Unit (&units)[(FewRows<Format, kTiles>::kGroups)],
    const FewInputs<Format, kTiles>& inputs, int pair) {
  using Cut = FewRows<Format, kTiles>;
#pragma unroll
  for (int p = kBegin; p < kEnd; ++p) {
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
template <int kBegin, int kEnd, Int8GemmFormat Format, int kTiles>
__device__ __forceinline__ void multiply_pairs(
    float (&sums)[(FewRows<Format, kTiles>::kGroups)][kTiles][4],
    const typename Format::Unit (&units)[(FewRows<Format, kTiles>::kGroups)],
    const FewInputs<Format, kTiles>& inputs, int pair) {
  using Cut = FewRows<Format, kTiles>;
#pragma unroll
  for (int p = kBegin; p < kEnd; ++p) {
    Int8Weights<Format> weights[Cut::kGroups];
#pragma unroll
    for (int g = 0; g < Cut::kGroups; ++g) weights[g].take(units[g], p, inputs.origin);
#pragma unroll
    for (int t = 0; t < kTiles; ++t) {
      const Int8Inputs x = inputs.load(t, pair + p);
#pragma unroll
      for (int g = 0; g < Cut::kGroups; ++g) weights[g].multiply(sums[g][t], x, inputs.origin);
    }
  }
}

/// Copies the chunks [first, end) of quantised activations to shared memory for a tile's rows.
/// place(block, row, vector): the place of a vector of a block of kBlock vectors.
template <int kBlock, typename Place>
__device__ __forceinline__ void copy_quantized(const GemmTask& gemm, const RowTile& tile, int first,
                                               int end, int chunk_vectors, Place place) {
  const int64_t row_vectors = num_chunks_of(gemm.num_inputs) * chunk_vectors;
  const int num_vectors = (end - first) * chunk_vectors;
#pragma unroll 1
  for (int row = 0; row < tile.num_rows; ++row) {
    const uint4* const x = gemm.quantized + x_row(gemm, tile.first_row + row) * row_vectors +
                           int64_t{first} * chunk_vectors;
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < num_vectors; i += kFewThreads) {
      copy_async_16(place(i / kBlock, row, i % kBlock), x + i);
    }
  }
  copy_async_commit();
  copy_async_wait<0>();
}

/// The scales of staged int8 activations, behind their codes.
__device__ __forceinline__ Int8Scales* staged_scales(uint4* staged, int num_rows,
                                                     int convert_chunks) {
  return reinterpret_cast<Int8Scales*>(staged +
                                       convert_chunks * kChunkInt8Blocks * num_rows * kPairVectors);
}

/// Copies the chunks [first, end) of x to shared memory for a tile's rows, quantising f32:
/// pair p of row r as four vectors at (p * num_rows + r) * 4. convert_chunks: few_rows_kernel's.
template <typename Format>
__device__ void stage_inputs(uint4* staged, const GemmTask& gemm, const RowTile& tile, int first,
                             int end, int /*convert_chunks*/) {
  const int num_rows = tile.num_rows;
  if (gemm.x == nullptr) {
    return copy_quantized<kPairVectors>(
        gemm, tile, first, end, kChunkVectors, [=](int pair, int row, int vector) {
          return staged + (pair * num_rows + row) * kPairVectors + vector;
        });
  }
  const int num_vectors = (end - first) * kChunkVectors * num_rows;
  const bool is_aligned = has_aligned_rows(gemm.x, gemm.x_stride);
  for (int i = static_cast<int>(threadIdx.x); i < num_vectors; i += kFewThreads) {
    const int row = i / kPairVectors % num_rows;
    const int pair = i / kPairVectors / num_rows;
    const float* const x = gemm.x + x_row(gemm, tile.first_row + row) * gemm.x_stride;
    const int64_t index = int64_t{first} * kChunkVectors + pair * kPairVectors + i % kPairVectors;
    staged[i] = convert_vector<Format::kHalf>(x, index, gemm.num_inputs, is_aligned);
  }
}
/// In int8, block b of row r as four vectors at (b * num_rows + r) * 4, and its scales at
/// b * num_rows + r of staged_scales().
template <Int8GemmFormat Format>
__device__ void stage_inputs(uint4* staged, const GemmTask& gemm, const RowTile& tile, int first,
                             int end, int convert_chunks) {
  const int num_rows = tile.num_rows;
  Int8Scales* const scales = staged_scales(staged, num_rows, convert_chunks);
  if (gemm.x == nullptr) {
    return copy_quantized<kInt8BlockVectors>(gemm, tile, first, end, kChunkInt8Vectors,
                                             [=](int block, int row, int vector) -> void* {
                                               const int place = block * num_rows + row;
                                               if (vector < kPairVectors)
                                                 return staged + place * kPairVectors + vector;
                                               return scales + place;
                                             });
  }
  // A warp rounds a chunk of a row at a time.
  const int num_parts = (end - first) * kWarpSize * num_rows;
  const bool is_aligned = has_aligned_rows(gemm.x, gemm.x_stride);
  for (int i = static_cast<int>(threadIdx.x); i < num_parts; i += kFewThreads) {
    const int row = i / kWarpSize % num_rows;
    const int group = i / kWarpSize / num_rows * kChunkPairs + lane_index() / kPairVectors;
    const int q = lane_index() % kPairVectors;
    const float* const x = gemm.x + x_row(gemm, tile.first_row + row) * gemm.x_stride;
    float2 inputs[4];
    load_vector(inputs, x, int64_t{first} * kChunkVectors + group * kPairVectors + q,
                gemm.num_inputs, is_aligned);
    const int place = group / 2 * num_rows + row;
    store_group(staged + place * kPairVectors, scales + place, group, q,
                quantize_group(inputs, kAllLanes));
  }
}

/// Instead of a row past the end of a tile the last one is used; its sums are not stored. staged:
/// shared memory, of FewRows::kPlacesBytes if rows are not staged.
template <typename Format, int kTiles>
__device__ __forceinline__ FewInputs<Format, kTiles> find_inputs(const GemmTask& gemm,
                                                                 const RowTile& tile, uint4* staged,
                                                                 int num_chunks,
                                                                 int /*convert_chunks*/) {
  using Cut = FewRows<Format, kTiles>;
  FewInputs<Format, kTiles> inputs;
  inputs.vectors = Cut::kStaged ? staged : gemm.quantized;
  inputs.pair_vectors = Cut::kStaged ? tile.num_rows * kPairVectors : kPairVectors;
#pragma unroll
  for (int t = 0; t < kTiles; ++t) {
    const int row = min(t * 8 + lane_index() / 4, tile.num_rows - 1);
    const auto vectors = Cut::kStaged
                             ? static_cast<int64_t>(row) * kPairVectors
                             : x_row(gemm, tile.first_row + row) * num_chunks * kChunkVectors;
    inputs.rows[t] = static_cast<uint32_t>(vectors + lane_index() % 4);
  }
  return inputs;
}
template <Int8GemmFormat Format, int kTiles>
__device__ __forceinline__ FewInputs<Format, kTiles> find_inputs(const GemmTask& gemm,
                                                                 const RowTile& tile, uint4* staged,
                                                                 int num_chunks,
                                                                 int convert_chunks) {
  using Cut = FewRows<Format, kTiles>;
  const int num_rows = tile.num_rows;
  FewInputs<Format, kTiles> inputs(gemm);
  inputs.vectors = Cut::kStaged ? staged : gemm.quantized;
  inputs.scales = Cut::kStaged ? staged_scales(staged, num_rows, convert_chunks)
                               : reinterpret_cast<const Int8Scales*>(gemm.quantized + kPairVectors);
  inputs.block_vectors = Cut::kStaged ? num_rows * kPairVectors : kInt8BlockVectors;
  inputs.num_rows = num_rows;
  const auto place_of = [&](int row) {
    const int last = min(row, num_rows - 1);
    if constexpr (Cut::kStaged) return static_cast<uint32_t>(last * kPairVectors);
    return static_cast<uint32_t>(x_row(gemm, tile.first_row + last) * num_chunks *
                                 kChunkInt8Vectors);
  };
#pragma unroll
  for (int t = 0; t < kTiles; ++t) {
    inputs.rows[t] = place_of(t * 8 + lane_index() / 4) + static_cast<uint32_t>(lane_index() % 4);
  }
  if constexpr (!Cut::kStaged) {
    auto* const places = reinterpret_cast<uint32_t*>(staged);
    const auto thread = static_cast<int>(threadIdx.x);
    if (thread < kTiles * 8) places[thread] = place_of(thread);
    __syncthreads();
    inputs.places = places;
  }
  return inputs;
}

}  // namespace quire::cuda
