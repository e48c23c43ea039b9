#pragma once

#include "kernels/cuda/linear/gemm_task.h"
#include "kernels/cuda/weights/packed_weight.h"

/// The activations as B operands of m16n8k16, and the sums of their products.
///
/// Activations in half precision: 32 inputs of a row are four vectors of 16 bytes, in the order in
/// which the four lanes of a column hold them: vector q has the inputs (2 q, 2 q + 1, 2 q + 8,
/// 2 q + 9), then the same plus 16. So one load gives a lane the fragments of two steps. Rows are
/// padded to whole chunks with zeros.
namespace quire::cuda {

inline constexpr int kPairInputs = 32;  ///< Inputs of two steps.
inline constexpr int kPairVectors = 4;  ///< 16-byte vectors of kPairInputs inputs of a row.
inline constexpr int kChunkPairs = kChunkInputs / kPairInputs;
inline constexpr int kChunkVectors = kChunkPairs * kPairVectors;

__host__ __device__ inline int64_t num_chunks_of(int64_t num_inputs) {
  return (num_inputs + kChunkInputs - 1) / kChunkInputs;
}

/// Scales and saturates an activation for f16 (kF16InputScale); NaN stays.
template <Half kHalf>
__device__ __forceinline__ float fit_input(float x) {
  if (kHalf == Half::kBF16) return x;
  constexpr float kLargest = 65504.0f;
  const float scaled = x * kF16InputScale;
  return scaled > kLargest ? kLargest : scaled < -kLargest ? -kLargest : scaled;
}

/// The result of a GEMM's sum: divided by the inputs' scale if they have one, plus the bias (or
/// null).
template <bool kScaledInputs>
__device__ __forceinline__ float finish_sum(float total, const float* bias) {
  constexpr float kInverse = kScaledInputs ? 1.0f / kF16InputScale : 1.0f;
  const float sum = __fmul_rn(total, kInverse);
  return bias == nullptr ? sum : __fadd_rn(sum, *bias);
}

/// The initial value of a sum of chunks: -0 + x is x, including the sign of a zero.
inline constexpr float kEmptySum = -0.0f;

/// Whether each row can be read two floats at a time.
__device__ __forceinline__ bool has_aligned_rows(const float* x, int64_t x_stride) {
  return reinterpret_cast<uintptr_t>(x) % sizeof(float2) == 0 && x_stride % 2 == 0;
}

/// Two neighbouring inputs of a row from k on; zeros past num_inputs.
__device__ __forceinline__ float2 load_last_inputs(const float* row, int64_t k,
                                                   int64_t num_inputs) {
  return make_float2(k < num_inputs ? row[k] : 0.0f, k + 1 < num_inputs ? row[k + 1] : 0.0f);
}

/// The inputs of vector `index` of a row, zeros past num_inputs. is_aligned: has_aligned_rows().
/// One check for the vector, and no arithmetic between its four loads: they are in flight together.
__device__ __forceinline__ void load_vector(float2 (&x)[4], const float* row, int64_t index,
                                            int64_t num_inputs, bool is_aligned) {
  const int64_t k = index / kPairVectors * kPairInputs + index % kPairVectors * 2;
  if (is_aligned && k + 8 * 3 + 1 < num_inputs) {
#pragma unroll
    for (int i = 0; i < 4; ++i) x[i] = *reinterpret_cast<const float2*>(row + k + 8 * i);
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i) x[i] = load_last_inputs(row, k + 8 * i, num_inputs);
  }
}

/// The inputs of a vector in half precision.
template <Half kHalf>
__device__ __forceinline__ uint4 round_vector(const float2 (&x)[4]) {
  uint32_t words[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    words[i] = pack_halves<kHalf>(fit_input<kHalf>(x[i].x), fit_input<kHalf>(x[i].y));
  }
  return make_uint4(words[0], words[1], words[2], words[3]);
}

/// Vector `index` of a row in half precision. is_aligned: has_aligned_rows().
template <Half kHalf>
__device__ __forceinline__ uint4 convert_vector(const float* row, int64_t index, int64_t num_inputs,
                                                bool is_aligned) {
  float2 x[4];
  load_vector(x, row, index, num_inputs, is_aligned);
  return round_vector<kHalf>(x);
}

/// The rows of a tile.
__device__ __forceinline__ RowTile find_row_tile(const GemmTask& gemm, int tile, int tile_rows) {
  if (gemm.tiles != nullptr) return gemm.tiles[tile];
  const int first = tile * tile_rows;
  return {gemm.data, gemm.bias, first, min(tile_rows, gemm.num_rows - first)};
}
/// The row of out, and of x, at a place, which counts as RowTile::first_row does.
__device__ __forceinline__ int64_t out_row(const GemmTask& gemm, int place) {
  return gemm.row_ids != nullptr ? gemm.row_ids[place] : place;
}
__device__ __forceinline__ int64_t x_row(const GemmTask& gemm, int place) {
  const int row = static_cast<int>(out_row(gemm, place));
  return gemm.rows_per_x == 1 ? row : row / gemm.rows_per_x;
}

/// The fragment of the first or second step of a vector.
__device__ __forceinline__ void input_fragment(uint32_t (&b)[2], const uint4& vector, int step) {
  b[0] = step == 0 ? vector.x : vector.z;
  b[1] = step == 0 ? vector.y : vector.w;
}

}  // namespace quire::cuda
