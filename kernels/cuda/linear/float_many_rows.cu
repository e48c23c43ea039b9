// f32 weights times many rows: tiles of 64 outputs times 64 rows; a thread computes 4 x 4 sums.
// Bound by the multiply-adds: 16 for two loads of 16 bytes from shared memory.

#include "kernels/cuda/launch.h"
#include "kernels/cuda/linear/inputs.h"

namespace quire::cuda {
namespace {

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
