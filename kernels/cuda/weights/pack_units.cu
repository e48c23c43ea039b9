#include "kernels/cuda/weights/linear_packer.h"

#include <algorithm>

#include "kernels/cuda/launch.h"
#include "kernels/cuda/weights/formats/formats.h"
#include "kernels/cuda/weights/packed_weight.h"

namespace quire::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kFloatUnitInputs = 256;

__device__ __forceinline__ int at_most(int64_t n, int limit) {
  return n < limit ? static_cast<int>(n) : limit;
}

/// The number of units in a block; 1 where a unit has one block or several.
template <typename Format>
int64_t units_of_block(DType dtype) {
  return std::max<int64_t>(dtype_block_elements(dtype) / Format::kUnitInputs, 1);
}

/// One thread for each word of a unit. step_units: units_of_block(); step_bytes: the bytes of so
/// many units in a raw row. Grid: (units of the piece, group by group, words / kThreads). Bound by
/// reading codes one at a time from the cache, which is still many times faster than the transfer
/// of the rows.
template <typename Format>
__global__ void __launch_bounds__(kThreads)
    pack_units_kernel(RawPiece piece, int64_t step_units, int64_t step_bytes, bool is_bf16,
                      uint8_t* group) {
  constexpr int kWords = Format::kUnitBytes / 4;
  const int word = static_cast<int>(blockIdx.y) * kThreads + static_cast<int>(threadIdx.x);
  if (word >= kWords) return;
  const int64_t num_units = (piece.num_inputs + Format::kUnitInputs - 1) / Format::kUnitInputs;
  const int64_t unit = blockIdx.x % num_units;
  const int64_t row = blockIdx.x / num_units * kUnitOutputs;

  RawTile tile;
  tile.rows = piece.rows + row * piece.pitch_bytes + unit / step_units * step_bytes;
  tile.pitch_bytes = piece.pitch_bytes;
  tile.num_rows = at_most(piece.num_rows - row, kUnitOutputs);
  tile.num_inputs = at_most(piece.num_inputs - unit * Format::kUnitInputs, Format::kUnitInputs);
  tile.first_input = static_cast<int>(unit % step_units) * Format::kUnitInputs;
  tile.is_bf16 = is_bf16;

  const int64_t at = row / kUnitOutputs * piece.units_per_group + piece.first_unit + unit;
  auto* const words = reinterpret_cast<uint32_t*>(group + at * Format::kUnitBytes);
  words[word] = Format::word(tile, word);
}

/// One thread for each float. Grid: (rows, floats / kThreads).
__global__ void __launch_bounds__(kThreads)
    pack_floats_kernel(RawPiece piece, float* rows, int64_t row_stride) {
  const int64_t input = static_cast<int64_t>(blockIdx.y) * kThreads + threadIdx.x;
  const int64_t at = piece.first_unit * kFloatUnitInputs + input;
  if (input >= (piece.num_inputs + 3) / 4 * 4) return;
  const auto* const from =
      reinterpret_cast<const float*>(piece.rows + blockIdx.x * piece.pitch_bytes);
  rows[blockIdx.x * row_stride + at] = input < piece.num_inputs ? from[input] : 0.0f;
}

}  // namespace

UnitSize unit_size(DType dtype, bool has_bf16) {
  if (dtype == DType::kF32) return {kFloatUnitInputs, 0, kFloatUnitInputs};
  return with_format(dtype, has_bf16, [dtype](auto format) {
    using Format = decltype(format);
    const auto inputs = static_cast<int>(units_of_block<Format>(dtype)) * Format::kUnitInputs;
    return UnitSize{Format::kUnitInputs, Format::kUnitBytes, inputs};
  });
}

void pack_units(CommandQueue& queue, DType dtype, const RawPiece& piece, uint8_t* group) {
  with_format(dtype, queue.facts().has_bf16_mma, [&](auto format) {
    using Format = decltype(format);
    const int64_t num_units = (piece.num_inputs + Format::kUnitInputs - 1) / Format::kUnitInputs;
    const int64_t num_groups = (piece.num_rows + kUnitOutputs - 1) / kUnitOutputs;
    const int64_t step_units = units_of_block<Format>(dtype);
    const dim3 grid(grid_size(num_groups * num_units, 1),
                    grid_size(Format::kUnitBytes / 4, kThreads));
    launch(queue, "pack_linear", pack_units_kernel<Format>, {grid, dim3(kThreads)}, piece,
           step_units, dtype_span_bytes(dtype, step_units * Format::kUnitInputs),
           dtype == DType::kBF16, group);
  });
}

void pack_floats(CommandQueue& queue, const RawPiece& piece, float* row, int64_t row_stride) {
  const dim3 grid(grid_size(piece.num_rows, 1), grid_size(piece.num_inputs + 3, kThreads));
  launch(queue, "pack_linear", pack_floats_kernel, {grid, dim3(kThreads)}, piece, row, row_stride);
}

}  // namespace quire::cuda
