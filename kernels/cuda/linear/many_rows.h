#pragma once

#include <algorithm>

#include "kernels/cuda/device/async_copy.h"
#include "kernels/cuda/device/launch_order.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/linear/glu.h"
#include "kernels/cuda/linear/int8_gemm.h"

/// GEMMs of many rows, bound by the tensor cores.
///
/// A warp computes 32 outputs times kTiles * 8 rows. Its weights are loaded from memory to
/// registers and decoded there (the L2 cache has them for the blocks of other rows: neighbouring
/// blocks are row tiles of the same outputs); quantised activations go through shared memory,
/// in the fragments' order, in four stages of 64 inputs. The chunk's sums and the totals
/// are both in registers: a tile of 128 x 128 takes 128 of a thread's 255 for them. A stage of 128
/// x 128 is 2.1 MFLOP for 16 KB of x and 16 KB of bf16 weights, which both warps of a group of
/// outputs load. Expected on an H200, not measured: with bf16 the L2 cache (some 32 bytes per clock
/// for each multiprocessor) limits the rate to 40 to 50 % of the chip's, with 4-bit weights
/// mma.sync to 50 to 60 %. All of this is of halves. A stage of int8 activations is 10 KB, and
/// lanes read half of each 16 bytes of it at a time, which costs twice the shared memory's time:
/// less than the sums take.
namespace quire::cuda {

inline constexpr int kManyStages = 4;  ///< A power of two.
inline constexpr int kStageInputs = 64;
inline constexpr int kStagePairs = kStageInputs / kPairInputs;
/// Vectors of a row in a stage.
template <typename Format>
inline constexpr int kStageVectors = kStagePairs* kPairVectors;
template <Int8GemmFormat Format>
inline constexpr int kStageVectors<Format> = kInt8BlockVectors;
static_assert(kStageInputs == kInt8BlockInputs);
inline constexpr int kWarpGroups = 2;  ///< 16 outputs each.

/// How a tile is divided: kOutputWarps times kRowWarps warps, each with kTiles times eight rows.
template <typename Format, int kOutputWarpsOf, int kRowWarpsOf, int kTilesOf>
struct ManyRows {
  static constexpr int kOutputWarps = kOutputWarpsOf;
  static constexpr int kRowWarps = kRowWarpsOf;
  static constexpr int kTiles = kTilesOf;
  static constexpr int kThreads = kOutputWarps * kRowWarps * kWarpSize;
  /// 0 leaves it to the compiler, which spills some registers of Q5_1 for a third block.
  static constexpr int kLeastBlocks = Int8GemmFormat<Format> ? 1 : 0;
  static constexpr int kOutputs = kOutputWarps * kWarpGroups * kUnitOutputs;
  static constexpr int kRows = kRowWarps * kTiles * 8;
  static constexpr int kRowVectors = kStageVectors<Format>;
  static constexpr int kVectors = kRows * kRowVectors;  ///< Of a stage.
  static constexpr int kVectorsOfThread = (kVectors + kThreads - 1) / kThreads;
  /// A row of a tile's GLU in shared memory: the gate projections, then the up projections. The
  /// padding avoids bank conflicts when fragments are stored.
  static constexpr int kGluColumns = kOutputs / 2;
  static constexpr int kGluRowFloats = 2 * kGluColumns + 4;
  static constexpr size_t kGluBytes = kRows * kGluRowFloats * sizeof(float);
  static constexpr size_t kSharedBytes = kManyStages * kVectors * sizeof(uint4) +
                                         kRows * sizeof(const uint4*) + kThreads * sizeof(int);
};

/// The place of vector `vector` (0 to 7) of a tile's row of halves in a stage. The vectors of a
/// pair are in the order of the lanes; in the second pair even and odd rows are exchanged, so that
/// the eight threads that copy one row write to different banks.
__device__ __forceinline__ int stage_place(int row, int vector) {
  const int pair = vector / kPairVectors;
  return ((row / 8 * kStagePairs + pair) * 8 + (row % 8 ^ pair)) * kPairVectors +
         vector % kPairVectors;
}

/// The same of an int8 row: the codes of all rows, then their scales.
template <int kRows>
__device__ __forceinline__ int int8_stage_place(int row, int vector) {
  return vector < kPairVectors ? row * kPairVectors + vector : kRows * kPairVectors + row;
}

/// x in shared memory: a ring of stages, and the address of each row of the tile.
template <typename Format, typename Cut>
struct InputStages {
  __device__ __forceinline__ static uint4* stage_at(unsigned number) {
    return dynamic_shared<uint4>() + number % kManyStages * Cut::kVectors;
  }
  /// (kRows), in shared memory to save registers.
  __device__ __forceinline__ static const uint4** rows() {
    return reinterpret_cast<const uint4**>(dynamic_shared<uint4>() + kManyStages * Cut::kVectors);
  }

  /// (kThreads), in shared memory to save registers: the first output of the thread's warp. Each
  /// thread has its own copy. All lanes of a warp would race to write a common one, and choosing
  /// one lane to write it would need another register.
  __device__ __forceinline__ static int& first_output() {
    return reinterpret_cast<int*>(rows() + Cut::kRows)[threadIdx.x];
  }

  __device__ __forceinline__ static void begin(const GemmTask& gemm, const RowTile& tile,
                                               unsigned num_stages) {
    constexpr int kChunkStages = kChunkInputs / kStageInputs;
    const int64_t row_vectors = num_chunks_of(gemm.num_inputs) * (kChunkStages * Cut::kRowVectors);
    for (int i = static_cast<int>(threadIdx.x); i < Cut::kRows; i += Cut::kThreads) {
      // Instead of a row past the end the last one is used; its sums are not stored.
      const int row = min(i, tile.num_rows - 1);
      rows()[i] = gemm.quantized + x_row(gemm, tile.first_row + row) * row_vectors;
    }
    __syncthreads();
#pragma unroll
    for (unsigned number = 0; number < kManyStages - 1; ++number) copy(number, num_stages);
  }

  __device__ __forceinline__ static void copy(unsigned number, unsigned num_stages) {
    if (number < num_stages) {
      uint4* const to = stage_at(number);
#pragma unroll
      for (int i = 0; i < Cut::kVectorsOfThread; ++i) {
        const int index = i * Cut::kThreads + static_cast<int>(threadIdx.x);
        if (Cut::kVectors % Cut::kThreads != 0 && index >= Cut::kVectors) break;
        const int row = index / Cut::kRowVectors;
        const int vector = index % Cut::kRowVectors;
        const int place = Int8GemmFormat<Format> ? int8_stage_place<Cut::kRows>(row, vector)
                                                 : stage_place(row, vector);
        copy_async_16(to + place, rows()[row] + number * Cut::kRowVectors + vector);
      }
    }
    copy_async_commit();  // Empty at the end, so that copy_async_wait counts correctly.
  }

  /// Waits for the stage and returns it; begins to copy a later one to the place of the previous.
  __device__ __forceinline__ static const uint4* next(unsigned number, unsigned num_stages) {
    copy_async_wait<kManyStages - 2>();
    __syncthreads();
    copy(number + kManyStages - 1, num_stages);
    return stage_at(number);
  }
};

/// The sums of a warp's tile.
template <typename Cut>
struct WarpSums {
  float d[kWarpGroups][Cut::kTiles][4];

  __device__ __forceinline__ void fill(float value) {
#pragma unroll
    for (int g = 0; g < kWarpGroups; ++g) {
#pragma unroll
      for (int t = 0; t < Cut::kTiles; ++t) {
#pragma unroll
        for (int i = 0; i < 4; ++i) d[g][t][i] = value;
      }
    }
  }
  __device__ __forceinline__ void add(const WarpSums& other) {
#pragma unroll
    for (int g = 0; g < kWarpGroups; ++g) {
#pragma unroll
      for (int t = 0; t < Cut::kTiles; ++t) {
#pragma unroll
        for (int i = 0; i < 4; ++i) d[g][t][i] = __fadd_rn(d[g][t][i], other.d[g][t][i]);
      }
    }
  }
};

/// sums += two steps of the units, from first_step on, times pair `pair` of a stage of x.
template <typename Format, typename Cut>
__device__ __forceinline__ void multiply_pair(WarpSums<Cut>& sums,
                                              const typename Format::Unit (&units)[kWarpGroups],
                                              int first_step, const uint4* stage, int pair) {
  const int first_tile = warp_index() / Cut::kOutputWarps * Cut::kTiles;
  uint32_t a[2][kWarpGroups][4];
#pragma unroll
  for (int step = 0; step < 2; ++step) {
#pragma unroll
    for (int g = 0; g < kWarpGroups; ++g) {
      Format::fragment(units[g], first_step + step, a[step][g]);
    }
  }
#pragma unroll
  for (int t = 0; t < Cut::kTiles; ++t) {
    const int row = (first_tile + t) * 8 + lane_index() / 4;
    const uint4 vector = stage[stage_place(row, pair * kPairVectors + lane_index() % 4)];
#pragma unroll
    for (int step = 0; step < 2; ++step) {
      uint32_t b[2];
      input_fragment(b, vector, step);
#pragma unroll
      for (int g = 0; g < kWarpGroups; ++g) {
        mma_m16n8k16<Format::kHalf>(sums.d[g][t], a[step][g], b);
      }
    }
  }
}

/// sums += inputs [32 group, + 32) of the units times a stage of int8 activations. Both groups of a
/// block together would take more registers.
template <Int8GemmFormat Format, typename Cut>
__device__ __forceinline__ void multiply_group(WarpSums<Cut>& sums,
                                               const typename Format::Unit (&units)[kWarpGroups],
                                               int group, const uint4* stage,
                                               const SumOrigin& origin) {
  const int first_tile = warp_index() / Cut::kOutputWarps * Cut::kTiles;
  Int8Weights<Format> weights[kWarpGroups];
#pragma unroll
  for (int g = 0; g < kWarpGroups; ++g) weights[g].take(units[g], group, origin);
#pragma unroll
  for (int t = 0; t < Cut::kTiles; ++t) {
    const int row = (first_tile + t) * 8;
    const int place =
        int8_stage_place<Cut::kRows>(row + lane_index() / 4, lane_index() % kPairVectors);
    Int8Inputs x;
    x.words = reinterpret_cast<const uint2*>(stage + place)[group % 2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int column = row + lane_index() % 4 * 2 + i;
      x.columns[i] = reinterpret_cast<const Int8Scales*>(
                         stage + int8_stage_place<Cut::kRows>(column, kPairVectors))
                         ->groups[group % 2];
    }
#pragma unroll
    for (int g = 0; g < kWarpGroups; ++g) weights[g].multiply(sums.d[g][t], x, origin);
  }
}

/// The weights of a warp's groups of outputs.
template <typename Format>
struct GroupWeights {
  const uint8_t* next;
  int group_bytes;  ///< From the first group to the second.

  /// The second group is the next one, or with a fused GLU the same outputs of the up projection.
  /// Past the end the last group is loaded; its sums are not stored.
  __device__ __forceinline__ void begin(const GemmTask& gemm, const RowTile& tile,
                                        int first_group) {
    const int last = (gemm.num_outputs - 1) / kUnitOutputs;
    const int bytes = gemm.num_units * Format::kUnitBytes;
    next = tile.data + int64_t{min(first_group, last)} * bytes;
    const int distance = gemm.is_fused_glu() ? (last + 1) / 2 : 1;
    group_bytes = first_group + distance <= last ? distance * bytes : 0;
  }
  /// Loads the next unit of group 0, then that of group 1.
  __device__ __forceinline__ typename Format::Unit load(int group) {
    static_assert(kWarpGroups == 2);
    if (group == 0) return Format::load(next, lane_index());
    const uint8_t* const second = next + group_bytes;
    next += Format::kUnitBytes;
    return Format::load(second, lane_index());
  }
  /// Requests the next units of both groups from memory.
  __device__ __forceinline__ void prefetch() const {
    constexpr int kLineBytes = 128;
    static_assert(Format::kUnitBytes <= kWarpSize * kLineBytes);
    const int offset = lane_index() * kLineBytes;
    if (offset >= Format::kUnitBytes) return;
    prefetch_to_l2(next + offset);
    prefetch_to_l2(next + group_bytes + offset);
  }
};

template <bool kScaledInputs, typename Cut>
__device__ __forceinline__ void store_sums(const WarpSums<Cut>& totals, const GemmTask& gemm,
                                           const RowTile& tile, int first_output) {
  const int first_row = warp_index() / Cut::kOutputWarps * Cut::kTiles * 8 + lane_index() % 4 * 2;
#pragma unroll
  for (int t = 0; t < Cut::kTiles; ++t) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int row = first_row + t * 8 + i;
      if (row >= tile.num_rows) continue;
      float* const out = gemm.out + out_row(gemm, tile.first_row + row) * gemm.out_stride;
#pragma unroll
      for (int half_group = 0; half_group < 2 * kWarpGroups; ++half_group) {
        const int column = first_output + half_group * 8 + lane_index() / 4;
        if (column >= gemm.num_outputs) continue;
        out[column] =
            finish_sum<kScaledInputs>(totals.d[half_group / 2][t][half_group % 2 * 2 + i],
                                      tile.bias == nullptr ? nullptr : tile.bias + column);
      }
    }
  }
}

/// Stores the GLU of a tile. The sums pass through shared memory, which no longer holds inputs, so
/// that each thread gets whole vectors.
template <bool kScaledInputs, typename Cut>
__device__ __forceinline__ void store_glu(const WarpSums<Cut>& totals, const GemmTask& gemm,
                                          const RowTile& tile, int first_output) {
  constexpr int kVectorInputs = kPairInputs / kPairVectors;
  constexpr int kRowVectors = Cut::kGluColumns / kVectorInputs;
  static_assert(Cut::kRows * kRowVectors % Cut::kThreads == 0 && kRowVectors % kPairVectors == 0);
  auto* const rows = dynamic_shared<float>();
  const int first_column = static_cast<int>(blockIdx.y) * Cut::kGluColumns;
  const int column = first_output - first_column + lane_index() / 4;
  const int first_row = warp_index() / Cut::kOutputWarps * Cut::kTiles * 8 + lane_index() % 4 * 2;
  __syncthreads();  // No warp reads inputs any more.
#pragma unroll
  for (int t = 0; t < Cut::kTiles; ++t) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      float* const to =
          rows + (first_row + t * 8 + i % 2) * Cut::kGluRowFloats + column + i / 2 * 8;
#pragma unroll
      for (int g = 0; g < 2; ++g) {
        const int output = g * (gemm.num_outputs / 2) + first_column + column + i / 2 * 8;
        to[g * Cut::kGluColumns] = finish_sum<kScaledInputs>(
            totals.d[g][t][i], tile.bias == nullptr ? nullptr : tile.bias + output);
      }
    }
  }
  __syncthreads();
  const OutRows out = {gemm.out, gemm.out_stride, gemm.out_format};
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < Cut::kRows * kRowVectors; i += Cut::kThreads) {
    const int row = i / kRowVectors, vector = i % kRowVectors;
    const float* const from = rows + row * Cut::kGluRowFloats;
    float2 gate[4], up[4];
    load_vector(gate, from, vector, Cut::kGluColumns, true);
    load_vector(up, from + Cut::kGluColumns, vector, Cut::kGluColumns, true);
    apply_glu(gate, up, gemm.glu);
    // Lanes of rows past the end stay, because store_vector() exchanges between lanes.
    store_vector(out.words(tile.first_row + row), first_column / kVectorInputs + vector, gate,
                 out.format, row < tile.num_rows);
  }
}

/// Grid: (row tiles, tiles of outputs).
template <typename Format, typename Cut>
__device__ __forceinline__ void multiply_many_rows(const GemmTask& gemm) {
  using Unit = typename Format::Unit;
  [[maybe_unused]] const SumOrigin origin(gemm);
  constexpr int kUnitStages = Format::kUnitInputs / kStageInputs;
  constexpr int kChunkUnits = kChunkInputs / Format::kUnitInputs;
  /// Large units are loaded after the previous ones were used, when they are in the L2 cache: there
  /// are no registers for both.
  constexpr bool kAhead = kUnitStages == 1;
  static_assert(kWarpGroups == kStagePairs);  // One unit is loaded at each pair.
  begin_in_order();
  const RowTile tile = find_row_tile(gemm, static_cast<int>(blockIdx.x), Cut::kRows);
  if (tile.data == nullptr) return;
  const int num_units = gemm.num_units;
  const int first_group =
      (static_cast<int>(blockIdx.y) * Cut::kOutputWarps + warp_index() % Cut::kOutputWarps) *
      (gemm.is_fused_glu() ? 1 : kWarpGroups);
  const unsigned num_stages = static_cast<unsigned>(num_units) * kUnitStages;
  using Stages = InputStages<Format, Cut>;
  Stages::first_output() = first_group * kUnitOutputs;
  Stages::begin(gemm, tile, num_stages);
  GroupWeights<Format> weights;
  weights.begin(gemm, tile, first_group);
  Unit units[kWarpGroups];
  WarpSums<Cut> sums, totals;
  totals.fill(kEmptySum);
  sums.fill(0.0f);
#pragma unroll
  for (int g = 0; g < kWarpGroups; ++g) units[g] = weights.load(g);
#pragma unroll 1
  for (int unit = 0; unit < num_units; ++unit) {
    Unit next[kWarpGroups];
    if (!kAhead && unit + 1 < num_units) weights.prefetch();
#pragma unroll
    for (int stage = 0; stage < kUnitStages; ++stage) {
      const uint4* const inputs =
          Stages::next(static_cast<unsigned>(unit) * kUnitStages + stage, num_stages);
#pragma unroll
      for (int pair = 0; pair < kStagePairs; ++pair) {
        if (kAhead && unit + 1 < num_units) next[pair] = weights.load(pair);
        const int number = stage * kStagePairs + pair;
        if constexpr (Int8GemmFormat<Format>) {
          multiply_group<Format, Cut>(sums, units, number, inputs, origin);
        } else {
          multiply_pair<Format, Cut>(sums, units, 2 * number, inputs, pair);
        }
      }
    }
    if (unit + 1 < num_units) {
#pragma unroll
      for (int g = 0; g < kWarpGroups; ++g) units[g] = kAhead ? next[g] : weights.load(g);
    }
    if (unit % kChunkUnits == kChunkUnits - 1 || unit == num_units - 1) {
      totals.add(sums);
      sums.fill(0.0f);
    }
  }
  // The tile is loaded again to save registers.
  const RowTile stored = find_row_tile(gemm, static_cast<int>(blockIdx.x), Cut::kRows);
  if (gemm.is_fused_glu()) {
    store_glu<kHasScaledInputs<Format>, Cut>(totals, gemm, stored, Stages::first_output());
  } else {
    store_sums<kHasScaledInputs<Format>, Cut>(totals, gemm, stored, Stages::first_output());
  }
}

template <typename Format, typename Cut>
__global__ void __launch_bounds__(Cut::kThreads, Cut::kLeastBlocks)
    many_rows_kernel(const GemmTask gemm) {
  if constexpr (is_compiled<Format>()) {
    multiply_many_rows<Format, Cut>(gemm);
  } else {
    __trap();
  }
}

template <typename Format, typename Cut>
void launch_many_rows(CommandQueue& queue, const char* operation, const GemmTask& gemm,
                      int num_tiles) {
  launch_early(
      queue, operation, many_rows_kernel<Format, Cut>,
      {.grid = {static_cast<unsigned>(num_tiles), grid_size(gemm.num_outputs, Cut::kOutputs)},
       .block = {Cut::kThreads},
       .shared_bytes =
           gemm.is_fused_glu() ? std::max(Cut::kSharedBytes, Cut::kGluBytes) : Cut::kSharedBytes},
      gemm);
}

}  // namespace quire::cuda
