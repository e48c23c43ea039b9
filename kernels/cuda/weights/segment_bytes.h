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

/// Bytes of a segment, padded to kSegmentAlignment.
inline int64_t segment_bytes(DType dtype, int64_t num_outputs, int64_t num_inputs) {
  if (dtype == DType::kF32) {
    return round_up_to(num_outputs * float_row_stride(num_inputs) * dtype_bytes(dtype),
                       kSegmentAlignment);
  }
  const int64_t unit_inputs = dtype_block_elements(dtype) > 64 ? 256 : 64;
  const int64_t padded_inputs = round_up_to(num_inputs, unit_inputs);
  // Units are as large as the file's blocks, except that these formats have larger scales.
  const bool is_padded = dtype == DType::kQ3_K || dtype == DType::kQ4_K || dtype == DType::kQ5_K;
  const int64_t more = is_padded ? 4 : dtype == DType::kIQ4_XS ? 2 : 0;
  const int64_t row_bytes =
      dtype_span_bytes(dtype, padded_inputs) + more * (padded_inputs / unit_inputs);
  return round_up_to(round_up_to(num_outputs, kUnitOutputs) * row_bytes, kSegmentAlignment);
}

}  // namespace quire::cuda
