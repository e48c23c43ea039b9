#pragma once

#include "kernels/base/dtype.h"

/// Sizes of packed weights on a GPU (packed_weight.h), without CUDA's headers.
namespace quire::cuda {

inline constexpr int kUnitOutputs = 16;
inline constexpr int64_t kSegmentAlignment = 256;

inline int64_t round_up_to(int64_t n, int64_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

/// Floats between consecutive rows of f32 weights.
inline int64_t float_row_stride(int64_t num_inputs) {
  return round_up_to(num_inputs, 4);
}

/// Inputs of a unit.
inline int64_t unit_inputs(DType dtype) {
  switch (dtype) {
    case DType::kI4_128:
    case DType::kI8_128:
    case DType::kF8_128:
      return 64;  // Half a block.
    default:
      return dtype_block_elements(dtype) > 64 ? 256 : 64;
  }
}

/// Bytes of a unit for each of its outputs: mostly as in the file.
inline int64_t unit_row_bytes(DType dtype) {
  switch (dtype) {
    case DType::kQ3_K:
    case DType::kQ4_K:
    case DType::kQ5_K:
      return dtype_block_bytes(dtype) + 4;  // Larger scales.
    case DType::kIQ4_XS:
      return dtype_block_bytes(dtype) + 2;
    case DType::kI4_128:
      return 35;  // With a scale and a zero point of its own.
    case DType::kI8_128:
    case DType::kF8_128:
      return 66;
    case DType::kNF4_64:
      return 34;  // Scales in f16.
    default:
      return dtype_span_bytes(dtype, unit_inputs(dtype));
  }
}

/// Bytes of a segment, padded to kSegmentAlignment.
inline int64_t segment_bytes(DType dtype, int64_t num_outputs, int64_t num_inputs) {
  if (dtype == DType::kF32) {
    return round_up_to(num_outputs * float_row_stride(num_inputs) * dtype_bytes(dtype),
                       kSegmentAlignment);
  }
  const int64_t units = round_up_to(num_inputs, unit_inputs(dtype)) / unit_inputs(dtype);
  return round_up_to(round_up_to(num_outputs, kUnitOutputs) * units * unit_row_bytes(dtype),
                     kSegmentAlignment);
}

}  // namespace quire::cuda
