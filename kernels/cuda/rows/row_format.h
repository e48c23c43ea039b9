#pragma once

#include "kernels/base/dtype.h"

namespace quire::cuda {

/// What a kernel writes its rows as: f32, or half rows of that format (out_rows.h).
enum class RowFormat { kF32, kF16, kBF16 };

inline RowFormat row_format(DType dtype) {
  if (dtype == DType::kF32) return RowFormat::kF32;
  return dtype == DType::kF16 ? RowFormat::kF16 : RowFormat::kBF16;
}

}  // namespace quire::cuda
