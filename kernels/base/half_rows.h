#pragma once

#include "kernels/base/tensor_view.h"

/// Half rows: inputs of matrix products, (T, K) f16 or bf16, already rounded as the products of a
/// backend would round them (Backend::input_dtype). Consecutive rows are half_row_stride(K)
/// elements apart. The order within a row, and what is between K and the stride, is the backend's.
namespace quire {

/// A multiple of the longest chain of a GEMM's sum, so that it needs no check at the end of a row.
inline constexpr int64_t kHalfRowAlignment = 256;

inline int64_t half_row_stride(int64_t num_columns) {
  return (num_columns + kHalfRowAlignment - 1) / kHalfRowAlignment * kHalfRowAlignment;
}

inline TensorView half_rows(void* data, DType dtype, int64_t num_rows, int64_t num_columns) {
  CHECK(dtype == DType::kF16 || dtype == DType::kBF16);
  const TensorView padded(data, dtype, {num_rows, half_row_stride(num_columns)});
  return padded.columns(0, num_columns);
}

/// Also of a view whose columns are split into heads.
inline bool is_half_rows(const ConstTensorView& view) {
  if (view.dtype() != DType::kF16 && view.dtype() != DType::kBF16) return false;
  const int64_t num_columns = view.rank() == 3 ? view.dim(1) * view.dim(2) : view.dim(1);
  return view.row_stride() == half_row_stride(num_columns);
}

}  // namespace quire
