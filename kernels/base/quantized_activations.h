#pragma once

#include "kernels/base/tensor_view.h"

/// Quantised activations: inputs of matrix products, (T, K) f16, bf16 or i8, already rounded as the
/// products of a backend would round them (Backend::input_dtype). Consecutive rows are
/// quantized_row_stride() elements apart. The order within a row, and what is between K and the
/// stride, is the backend's: rows of i8 have the scales of their groups between them.
namespace quire {

/// A multiple of the longest chain of a GEMM's sum, so that it needs no check at the end of a row.
inline constexpr int64_t kQuantizedRowAlignment = 256;
/// Bytes of that many inputs in i8, their scales included.
inline constexpr int64_t kAlignedRowBytes = 320;
/// Neighbouring inputs that share a scale in i8.
inline constexpr int64_t kQuantizedRowGroup = 32;

inline bool is_activation_dtype(DType dtype) {
  return dtype == DType::kF16 || dtype == DType::kBF16 || dtype == DType::kI8;
}

inline int64_t quantized_row_stride(DType dtype, int64_t num_columns) {
  const int64_t count = (num_columns + kQuantizedRowAlignment - 1) / kQuantizedRowAlignment;
  return count * (dtype == DType::kI8 ? kAlignedRowBytes : kQuantizedRowAlignment);
}

inline TensorView quantized_activations(void* data, DType dtype, int64_t num_rows,
                                        int64_t num_columns) {
  CHECK(is_activation_dtype(dtype));
  const TensorView padded(data, dtype, {num_rows, quantized_row_stride(dtype, num_columns)});
  return padded.columns(0, num_columns);
}

/// Also of a view whose columns are split into heads.
inline bool is_quantized_activations(const ConstTensorView& view) {
  if (!is_activation_dtype(view.dtype())) return false;
  const int64_t num_columns = view.rank() == 3 ? view.dim(1) * view.dim(2) : view.dim(1);
  return view.row_stride() == quantized_row_stride(view.dtype(), num_columns);
}

}  // namespace quire
