#pragma once

#include "kernels/base/check.h"
#include "kernels/base/dtype.h"

namespace quire::cuda {

/// What a kernel writes its rows as: f32, or quantised activations of that format (out_rows.h).
enum class RowFormat { kF32, kF16, kBF16, kI8 };

inline RowFormat row_format(DType dtype) {
  switch (dtype) {
    case DType::kF32:
      return RowFormat::kF32;
    case DType::kF16:
      return RowFormat::kF16;
    case DType::kBF16:
      return RowFormat::kBF16;
    default:
      CHECK(dtype == DType::kI8);
      return RowFormat::kI8;
  }
}

}  // namespace quire::cuda
