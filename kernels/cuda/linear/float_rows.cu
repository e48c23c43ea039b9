// GEMMs with f32 weights.

#include "kernels/cuda/launch.h"
#include "kernels/cuda/linear/inputs.h"

namespace quire::cuda {
namespace {

/// f32 weights times up to eight rows.
///
/// A block computes 16 outputs for all rows of its tile, and its eight warps share the chunks. A
/// chain of 256 dependent multiply-adds takes at least a microsecond, in which the weights are
/// loaded: a warp loads 16 outputs times 64 inputs (4 KB) into registers while it multiplies the
/// preceding ones from shared memory.
struct FloatFew {
  static constexpr int kWarps = 8;
  static constexpr int kThreads = kWarps * kWarpSize;
  static constexpr int kOutputs = 16;
  static constexpr int kRows = 8;
  static constexpr int kPiece = 64;           ///< Inputs that are loaded at once.
  static constexpr int kStride = kPiece + 1;  ///< Between rows of weights; avoids bank conflicts.
  static constexpr int kPieceFloats = kOutputs * kStride + kRows * kPiece;  ///< A warp's.
  static constexpr int kWeightsOfLane = kOutputs * kPiece / kWarpSize;
  static constexpr int kInputsOfLane = kRows * kPiece / kWarpSize;
  static constexpr int kRowsOfLane =
      kRows / 2;  ///< A lane computes one output of half of the rows.
  static constexpr int kSums = kOutputs * kRows;
  static constexpr size_t kSharedBytes = (kWarps * (kPieceFloats + kSums)) * sizeof(float);
};

/// A lane's part of a piece: weights (o, k) and inputs (r, k), index i * 32 + lane.
struct FloatPiece {
  float weights[FloatFew::kWeightsOfLane];
  float inputs[FloatFew::kInputsOfLane];

  /// Inputs [k, k + kPiece) of the block's outputs and the tile's rows; zeros past the edges.
  __device__ __forceinline__ void load(const GemmTask& gemm, const RowTile& tile,
                                       const float* const* rows, int first_output, int k) {
    const auto* const weight_rows = reinterpret_cast<const float*>(tile.data);
#pragma unroll
    for (int i = 0; i < FloatFew::kWeightsOfLane; ++i) {
      const int output = first_output + i / 2;
      const int input = k + i % 2 * kWarpSize + lane_index();
      const bool is_there = output < gemm.num_outputs && input < gemm.num_inputs;
      weights[i] = is_there ? __ldcs(weight_rows + output * gemm.row_floats + input) : 0.0f;
    }
#pragma unroll
    for (int i = 0; i < FloatFew::kInputsOfLane; ++i) {
      const int input = k + i % 2 * kWarpSize + lane_index();
      const bool is_there = i / 2 < tile.num_rows && input < gemm.num_inputs;
      inputs[i] = is_there ? __ldg(rows[i / 2] + input) : 0.0f;
    }
  }

  __device__ __forceinline__ void store(float* to) const {
#pragma unroll
    for (int i = 0; i < FloatFew::kWeightsOfLane; ++i) {
      to[i / 2 * FloatFew::kStride + i % 2 * kWarpSize + lane_index()] = weights[i];
    }
    float* const to_inputs = to + FloatFew::kOutputs * FloatFew::kStride;
#pragma unroll
    for (int i = 0; i < FloatFew::kInputsOfLane; ++i) {
      to_inputs[i * kWarpSize + lane_index()] = inputs[i];
    }
  }
};

/// sums += a piece of `count` inputs, in ascending order.
__device__ __forceinline__ void multiply_piece(float (&sums)[FloatFew::kRowsOfLane],
                                               const float* piece, int count) {
  const float* const weights = piece + lane_index() % FloatFew::kOutputs * FloatFew::kStride;
  const float* const inputs =
      piece + FloatFew::kOutputs * FloatFew::kStride +
      lane_index() / FloatFew::kOutputs * FloatFew::kRowsOfLane * FloatFew::kPiece;
#pragma unroll 8
  for (int k = 0; k < count; ++k) {
#pragma unroll
    for (int r = 0; r < FloatFew::kRowsOfLane; ++r) {
      sums[r] = fmaf(inputs[r * FloatFew::kPiece + k], weights[k], sums[r]);
    }
  }
}

/// The sums of chunk `chunk`, by one warp.
__device__ __forceinline__ void multiply_float_chunk(float (&sums)[FloatFew::kRowsOfLane],
                                                     float* piece, const GemmTask& gemm,
                                                     const RowTile& tile, const float* const* rows,
                                                     int chunk) {
  const int end = min((chunk + 1) * kChunkInputs, gemm.num_inputs);
  const int first_output = static_cast<int>(blockIdx.x) * FloatFew::kOutputs;
  FloatPiece held;
  held.load(gemm, tile, rows, first_output, chunk * kChunkInputs);
#pragma unroll 1
  for (int k = chunk * kChunkInputs; k < end; k += FloatFew::kPiece) {
    held.store(piece);
    __syncwarp();
    if (k + FloatFew::kPiece < end) {
      held.load(gemm, tile, rows, first_output, k + FloatFew::kPiece);
    }
    multiply_piece(sums, piece, min(FloatFew::kPiece, end - k));
    __syncwarp();
  }
}

/// Grid: (outputs / 16, row tiles).
__global__ void __launch_bounds__(FloatFew::kThreads) float_few_rows_kernel(const GemmTask gemm) {
  __shared__ const float* rows[FloatFew::kRows];
  const RowTile tile = find_row_tile(gemm, static_cast<int>(blockIdx.y), FloatFew::kRows);
  if (tile.data == nullptr) return;
  const auto thread = static_cast<int>(threadIdx.x);
  if (thread < tile.num_rows) {
    rows[thread] = gemm.x + x_row(gemm, tile.first_row + thread) * gemm.x_stride;
  }
  __syncthreads();
  float* const piece = dynamic_shared<float>() + warp_index() * FloatFew::kPieceFloats;
  float* const chunk_sums = dynamic_shared<float>() + FloatFew::kWarps * FloatFew::kPieceFloats;
  const auto num_chunks = static_cast<int>(num_chunks_of(gemm.num_inputs));
  // The thread's sum: row thread / 16, output thread % 16.
  float total = kEmptySum;
  for (int first = 0; first < num_chunks; first += FloatFew::kWarps) {
    const int chunk = first + warp_index();
    if (chunk < num_chunks) {
      float sums[FloatFew::kRowsOfLane] = {};
      multiply_float_chunk(sums, piece, gemm, tile, rows, chunk);
      float* const to =
          chunk_sums + warp_index() * FloatFew::kSums +
          lane_index() / FloatFew::kOutputs * FloatFew::kRowsOfLane * FloatFew::kOutputs +
          lane_index() % FloatFew::kOutputs;
#pragma unroll
      for (int r = 0; r < FloatFew::kRowsOfLane; ++r) to[r * FloatFew::kOutputs] = sums[r];
    }
    __syncthreads();
    if (thread < FloatFew::kSums) {
      for (int c = 0; c < min(FloatFew::kWarps, num_chunks - first); ++c) {
        total = __fadd_rn(total, chunk_sums[c * FloatFew::kSums + thread]);
      }
    }
    __syncthreads();
  }
  const int row = thread / FloatFew::kOutputs;
  const int column =
      static_cast<int>(blockIdx.x) * FloatFew::kOutputs + thread % FloatFew::kOutputs;
  if (row >= tile.num_rows || column >= gemm.num_outputs) return;
  gemm.out[out_row(gemm, tile.first_row + row) * gemm.out_stride + column] =
      finish_sum<false>(total, tile.bias == nullptr ? nullptr : tile.bias + column);
}

}  // namespace

void run_float_few(CommandQueue& queue, const char* operation, const GemmTask& gemm,
                   int num_tiles) {
  launch(
      queue, operation, float_few_rows_kernel,
      {.grid = {grid_size(gemm.num_outputs, FloatFew::kOutputs), static_cast<unsigned>(num_tiles)},
       .block = {FloatFew::kThreads},
       .shared_bytes = FloatFew::kSharedBytes},
      gemm);
}

namespace {

/// f32 weights times many rows: tiles of 64 outputs times 64 rows; a thread computes 4 x 4 sums.
/// Bound by the multiply-adds: 16 for two loads of 16 bytes from shared memory.
struct FloatMany {
  static constexpr int kThreads = 256;
  static constexpr int kSide = 64;           ///< Of the tile.
  static constexpr int kPiece = 16;          ///< Inputs that are loaded at once.
  static constexpr int kStride = kSide + 4;  ///< Floats between consecutive inputs.
  static constexpr int kOfThread = kSide * kPiece / kThreads;
};

/// A thread's part of a piece of 64 rows (of weights or of x): input thread % 16 of the rows
/// thread / 16 + 16 i, in held[i].
struct FloatRows {
  float held[FloatMany::kOfThread];

  /// rows: input 0 of each row; null past the last row.
  __device__ __forceinline__ void load(const float* const* rows, int k, int num_inputs) {
    const int input = k + static_cast<int>(threadIdx.x) % FloatMany::kPiece;
#pragma unroll
    for (int i = 0; i < FloatMany::kOfThread; ++i) {
      const float* const row = rows[static_cast<int>(threadIdx.x) / FloatMany::kPiece + 16 * i];
      held[i] = row != nullptr && input < num_inputs ? __ldg(row + input) : 0.0f;
    }
  }
  __device__ __forceinline__ void store(float* piece) const {
    const int input = static_cast<int>(threadIdx.x) % FloatMany::kPiece;
#pragma unroll
    for (int i = 0; i < FloatMany::kOfThread; ++i) {
      const int row = static_cast<int>(threadIdx.x) / FloatMany::kPiece + 16 * i;
      piece[input * FloatMany::kStride + row] = held[i];
    }
  }
};

/// Grid: (row tiles, outputs / 64).
__global__ void __launch_bounds__(FloatMany::kThreads) float_many_rows_kernel(const GemmTask gemm) {
  using F = FloatMany;
  __shared__ const float* weight_rows[F::kSide];
  __shared__ const float* input_rows[F::kSide];
  __shared__ __align__(16) float weights[F::kPiece * F::kStride];
  __shared__ __align__(16) float inputs[F::kPiece * F::kStride];
  const RowTile tile = find_row_tile(gemm, static_cast<int>(blockIdx.x), F::kSide);
  if (tile.data == nullptr) return;
  const auto thread = static_cast<int>(threadIdx.x);
  const int first_output = static_cast<int>(blockIdx.y) * F::kSide;
  if (thread < F::kSide) {
    const int64_t output = first_output + thread;
    const auto* const rows = reinterpret_cast<const float*>(tile.data);
    weight_rows[thread] = output < gemm.num_outputs ? rows + output * gemm.row_floats : nullptr;
    input_rows[thread] = thread < tile.num_rows
                             ? gemm.x + x_row(gemm, tile.first_row + thread) * gemm.x_stride
                             : nullptr;
  }
  __syncthreads();

  FloatRows next_weights, next_inputs;
  next_weights.load(weight_rows, 0, gemm.num_inputs);
  next_inputs.load(input_rows, 0, gemm.num_inputs);
  float sums[4][4] = {};  // [row][output]
  float totals[4][4];
#pragma unroll
  for (int i = 0; i < 16; ++i) totals[i / 4][i % 4] = kEmptySum;
  const int output_place = thread % 16 * 4;
  const int row_place = thread / 16 * 4;
#pragma unroll 1
  for (int k = 0; k < gemm.num_inputs; k += F::kPiece) {
    next_weights.store(weights);
    next_inputs.store(inputs);
    __syncthreads();
    if (k + F::kPiece < gemm.num_inputs) {
      next_weights.load(weight_rows, k + F::kPiece, gemm.num_inputs);
      next_inputs.load(input_rows, k + F::kPiece, gemm.num_inputs);
    }
    const int count = min(F::kPiece, gemm.num_inputs - k);
#pragma unroll 4
    for (int i = 0; i < count; ++i) {
      const auto w = *reinterpret_cast<const float4*>(weights + i * F::kStride + output_place);
      const auto x = *reinterpret_cast<const float4*>(inputs + i * F::kStride + row_place);
      const float of_rows[4] = {x.x, x.y, x.z, x.w};
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        sums[r][0] = fmaf(of_rows[r], w.x, sums[r][0]);
        sums[r][1] = fmaf(of_rows[r], w.y, sums[r][1]);
        sums[r][2] = fmaf(of_rows[r], w.z, sums[r][2]);
        sums[r][3] = fmaf(of_rows[r], w.w, sums[r][3]);
      }
    }
    if ((k + F::kPiece) % kChunkInputs == 0 || k + F::kPiece >= gemm.num_inputs) {
#pragma unroll
      for (int i = 0; i < 16; ++i) {
        totals[i / 4][i % 4] = __fadd_rn(totals[i / 4][i % 4], sums[i / 4][i % 4]);
        sums[i / 4][i % 4] = 0.0f;
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    const int row = row_place + i / 4;
    const int column = first_output + output_place + i % 4;
    if (row >= tile.num_rows || column >= gemm.num_outputs) continue;
    gemm.out[out_row(gemm, tile.first_row + row) * gemm.out_stride + column] = finish_sum<false>(
        totals[i / 4][i % 4], tile.bias == nullptr ? nullptr : tile.bias + column);
  }
}

}  // namespace

void run_float_many(CommandQueue& queue, const char* operation, const GemmTask& gemm,
                    int num_tiles) {
  launch(queue, operation, float_many_rows_kernel,
         {.grid = {static_cast<unsigned>(num_tiles), grid_size(gemm.num_outputs, FloatMany::kSide)},
          .block = {FloatMany::kThreads}},
         gemm);
}

}  // namespace quire::cuda
