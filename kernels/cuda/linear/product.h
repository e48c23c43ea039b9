#pragma once

#include <cstdint>

#include "kernels/backend.h"
#include "kernels/cuda/command_queue.h"
#include "kernels/cuda/device/numeric.h"

namespace quire::cuda {

/// Rows that meet the same weights: [first_row, first_row + num_rows) of a product's.
struct RowTile {
  const uint8_t* data;  ///< Units, or rows of floats; null if the tile has no rows.
  const float* bias;    ///< (N), or null.
  int32_t first_row;
  int32_t num_rows;
};

/// out = x W^T + bias for weights of one dtype: a segment of a PackedWeight, or with `tiles` the
/// same segment of several experts.
struct Product {
  const uint8_t* data;  ///< As in LinearSegment; not read with tiles.
  const float* bias;    ///< (N), or null; not read with tiles.
  int num_outputs;
  int num_inputs;
  int64_t row_floats;  ///< From a row of f32 weights to the next.
  int num_units;       ///< For a group of 16 outputs.

  const float* x;
  int64_t x_stride;
  /// x as halves (inputs.h), for the shapes that need it (needs_rounded_inputs).
  const uint4* rounded;
  float* out;
  int64_t out_stride;
  int num_rows;

  const RowTile* tiles = nullptr;    ///< Null: row i has the i-th place and the weights above.
  int num_tiles = 0;                 ///< With tiles.
  const int32_t* row_ids = nullptr;  ///< With tiles, the row of out at each place.
  int rows_per_x = 1;                ///< Row r of out is of row r / rows_per_x of x.
};

/// How a product is cut. Which one is taken changes no bit of the result.
enum class ProductShape {
  kFew8,  ///< The weights are streamed past up to so many rows (few_rows.h).
  kFew16,
  kFew32,
  kFew64,
  kMany64,   ///< Tiles of 64 outputs times 64 rows (many_rows.h).
  kMany128,  ///< Tiles of 128 (of some types 64) outputs times 128 rows.
};

int rows_of_tile(ProductShape shape);
inline bool needs_rounded_inputs(ProductShape shape) {
  return shape != ProductShape::kFew8;
}
/// For num_weights weights of num_outputs outputs (1 but for experts), each meeting about so many
/// rows.
ProductShape choose_shape(const GpuFacts& facts, int64_t rows_of_each, int64_t num_weights,
                          int64_t num_outputs);
/// For f32 weights.
ProductShape choose_float_shape(int64_t rows_of_each);

/// Row tiles of a product in that shape.
inline int num_row_tiles(const Product& product, ProductShape shape) {
  const int rows = rows_of_tile(shape);
  return product.tiles != nullptr ? product.num_tiles : (product.num_rows + rows - 1) / rows;
}

/// Submits a product with weights of a format. Compiled for every format in products_*.cu.
template <typename Format>
void run_product(CommandQueue& queue, const char* operation, const Product& product,
                 ProductShape shape);
/// With f32 weights. Within a chunk one fused multiply-add an input in ascending order from zero,
/// the chunks' sums added in ascending order: the order of the processor's kernels
/// (kernels/cpu/cpu_kernels.h), and their results bit for bit. Row tiles of 8 and of 64.
void run_float_few(CommandQueue& queue, const char* operation, const Product& product,
                   int num_tiles);
void run_float_many(CommandQueue& queue, const char* operation, const Product& product,
                    int num_tiles);

/// Bytes of num_rows rows of num_inputs inputs as halves.
size_t rounded_input_bytes(int64_t num_rows, int64_t num_inputs);
/// x, (num_rows, num_inputs) f32, as halves in the order of inputs.h.
void round_inputs(CommandQueue& queue, const char* operation, uint4* rounded, const float* x,
                  int64_t x_stride, int64_t num_rows, int64_t num_inputs, Half half);

}  // namespace quire::cuda
