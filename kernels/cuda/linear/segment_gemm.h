#pragma once

#include <optional>
#include <type_traits>

#include "kernels/cuda/linear/gemm_task.h"
#include "kernels/cuda/weights/formats/formats.h"
#include "kernels/cuda/weights/packed_weight.h"

namespace quire::cuda {

/// What a segment says of a GEMM; the rows are still to be named.
inline GemmTask segment_gemm(const LinearSegment& segment, int64_t num_inputs) {
  return {.data = segment.data,
          .bias = nullptr,
          .num_outputs = static_cast<int>(segment.num_outputs),
          .num_inputs = static_cast<int>(num_inputs),
          .row_floats = segment.row_stride,
          .num_units = static_cast<int>(segment.num_units)};
}

/// What activations are rounded to for weights of that dtype; nothing for f32.
inline std::optional<Half> half_of(DType dtype, bool has_bf16) {
  if (dtype == DType::kF32) return std::nullopt;
  Half half = Half::kF16;
  with_format(dtype, has_bf16, [&](auto format) { half = decltype(format)::kHalf; });
  return half;
}

/// Submits a GEMM with weights of that dtype. f32: kFew8, or kMany64 for any other shape.
void run_segment(CommandQueue& queue, const char* operation, DType dtype, const GemmTask& gemm,
                 GemmShape shape);

}  // namespace quire::cuda
