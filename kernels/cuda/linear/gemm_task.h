#pragma once

#include <cstdint>

#include "kernels/backend.h"
#include "kernels/cuda/command_queue.h"
#include "kernels/cuda/device/numeric.h"
#include "kernels/cuda/linear/row_format.h"
#include "kernels/cuda/weights/packed_weight.h"

namespace quire::cuda {

/// Rows that are multiplied by the same weights: rows [first_row, first_row + num_rows) of a GEMM.
struct RowTile {
  const uint8_t* data;  ///< Units, or rows of floats; null if the tile has no rows.
  const float* bias;    ///< (N), or null.
  int32_t first_row;
  int32_t num_rows;
};

/// out = x W^T + bias for weights of one dtype: a segment of a PackedWeight, or with `tiles` the
/// same segment of several experts.
struct GemmTask {
  const uint8_t* data;  ///< As in LinearSegment; not read with tiles.
  const float* bias;    ///< (N), or null; not read with tiles.
  int num_outputs;
  int num_inputs;
  int64_t row_floats;  ///< Floats between consecutive rows of f32 weights.
  int num_units;       ///< For a group of 16 outputs.

  int num_rows;
  const float* x;  ///< Null if x is quantised.
  int64_t x_stride;
  /// x as halves (inputs.h) or int8 activations (int8_activations.h): given so, or written by
  /// quantize_activations() for the shapes that need it (is_to_be_quantized).
  const uint4* quantized;

  float* out;
  int64_t out_stride;  ///< In words of 32 bits.
  /// Unless kF32, the outputs are F gate and then F up projections, and out is their GLU: (T, F)
  /// quantised activations, F a multiple of kChunkInputs. Only many_rows.h stores it.
  RowFormat out_format = RowFormat::kF32;
  GluParams glu = {};

  const RowTile* tiles = nullptr;    ///< Null: row i is at place i and has the weights above.
  const int32_t* row_ids = nullptr;  ///< With tiles: the row of out at each place.
  int num_tiles = 0;                 ///< With tiles.
  int rows_per_x = 1;                ///< Row r of out is computed from row r / rows_per_x of x.

  __host__ __device__ bool is_fused_glu() const { return out_format != RowFormat::kF32; }
};
/// From 136 bytes on nvcc 13.0 spills registers of many_rows.h.
static_assert(sizeof(GemmTask) <= 128);

/// How a GEMM is divided. The shape changes no bit of the result.
enum class GemmShape {
  kFew8,  ///< The weights are streamed for up to so many rows (few_rows.h).
  kFew16,
  kFew32,
  kFew64,
  kMany64,   ///< Tiles of 64 outputs times 64 rows (many_rows.h).
  kMany128,  ///< Tiles of 128 (of some types 64) outputs times 128 rows.
};

int rows_of_tile(GemmShape shape);
/// Whether x has to be quantised to dtype before a GEMM of that shape, which kFew8 does itself.
inline bool is_to_be_quantized(const ConstTensorView& x, DType dtype, GemmShape shape) {
  return x.dtype() == DType::kF32 && dtype != DType::kF32 && shape != GemmShape::kFew8;
}
/// The shape for num_weights weights (1 except for experts) of num_outputs outputs, each multiplied
/// by about rows_of_each rows.
GemmShape choose_shape(const GpuFacts& facts, int64_t rows_of_each, int64_t num_weights,
                       int64_t num_outputs);
/// choose_shape for a dense layer. For up to eight rows each block of kFew8 rounds all inputs for
/// itself: with many inputs kFew16 is quicker, whose inputs a kernel rounds once for all blocks.
GemmShape choose_linear_shape(const GpuFacts& facts, int64_t num_rows, int64_t num_outputs,
                              int64_t num_inputs);
/// For f32 weights.
GemmShape choose_float_shape(int64_t rows_of_each);

/// Row tiles of a GEMM in that shape.
inline int num_row_tiles(const GemmTask& gemm, GemmShape shape) {
  const int rows = rows_of_tile(shape);
  return gemm.tiles != nullptr ? gemm.num_tiles : (gemm.num_rows + rows - 1) / rows;
}

/// Submits a GEMM with weights of a format. Instantiated for every format (gemm.cu.in).
template <typename Format>
void run_gemm(CommandQueue& queue, const char* operation, const GemmTask& gemm, GemmShape shape);
/// Submit a GEMM with f32 weights. Within a chunk one fused multiply-add for each input in
/// ascending order from zero, the chunks' sums added in ascending order: the order of the CPU
/// kernels (kernels/cpu/cpu_kernels.h), so that the results have the same bits. Row tiles of 8 and
/// of 64.
void run_float_few(CommandQueue& queue, const char* operation, const GemmTask& gemm, int num_tiles);
void run_float_many(CommandQueue& queue, const char* operation, const GemmTask& gemm,
                    int num_tiles);

/// A GEMM with a segment's weights. The caller sets the bias and the rows.
GemmTask segment_gemm(const LinearSegment& segment, int64_t num_inputs);
/// Sets gemm.x, or gemm.quantized if x is quantised.
void set_inputs(GemmTask& gemm, const ConstTensorView& x);
/// What activations are rounded to for weights of that dtype: kF16, kBF16 or kI8; f32 stays.
DType input_dtype(DType weight, const GpuFacts& facts);
/// Submits a GEMM with weights of that dtype. f32: kFew8, or kMany64 for any other shape.
void run_segment(CommandQueue& queue, const char* operation, DType dtype, const GemmTask& gemm,
                 GemmShape shape);

/// Bytes of num_rows rows of num_inputs inputs in the order of a weight's columns, padded so that
/// halves can follow them.
size_t ordered_activation_bytes(int64_t num_rows, int64_t num_inputs);
/// Submits a kernel that writes ordered, (T, K) f32 dense: ordered[t, k] = x[t, order[k]].
ConstTensorView order_activations(CommandQueue& queue, const char* operation, float* ordered,
                                  ConstTensorView x, const int32_t* order);

/// Submits a kernel that multiplies out (T, N) by scales (N) and then adds the bias, (N) or empty.
void scale_outputs(CommandQueue& queue, const char* operation, TensorView out, const float* scales,
                   ConstTensorView bias);

/// Bytes of num_rows rows of num_inputs inputs, as halves or int8 activations.
size_t quantized_activation_bytes(int64_t num_rows, int64_t num_inputs);
/// Submits a kernel that rounds x, (T, K) f32, to `dtype` in the order of inputs.h or
/// int8_activations.h.
void quantize_activations(CommandQueue& queue, const char* operation, uint4* quantized,
                          const ConstTensorView& x, DType dtype);

/// Submits a kernel that unpacks groups of 16 outputs from their units to halves: unpacked is
/// (16 num_groups, inputs of num_units units), row by row, each row in the order of activations in
/// half precision (inputs.h), so that a GEMM can multiply both as they are.
void unpack_weights(CommandQueue& queue, const char* operation, DType dtype, uint4* unpacked,
                    const uint8_t* groups, int64_t num_groups, int num_units);

/// Submits a kernel that writes gemm.bias into every row of gemm.out.
void fill_with_bias(CommandQueue& queue, const char* operation, const GemmTask& gemm);

/// The most experts of one launch. The pointers to their weights are kernel parameters, which may
/// take 4 KB, so that nothing needs to be uploaded and a captured step contains them.
inline constexpr int kExpertsOfLaunch = 256;

}  // namespace quire::cuda
