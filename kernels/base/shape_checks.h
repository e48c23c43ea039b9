#pragma once

#include <initializer_list>

#include "kernels/base/tensor_view.h"

namespace quire {

inline bool has_shape(const ConstTensorView& view, DType dtype,
                      std::initializer_list<int64_t> shape) {
  if (view.dtype() != dtype || view.rank() != static_cast<int>(shape.size())) return false;
  int d = 0;
  for (int64_t n : shape) {
    if (view.dim(d++) != n) return false;
  }
  return view.num_elements() == 0 || !view.empty();
}

/// As has_shape, for tensors that hold floating-point numbers of 16 bits or more.
inline bool has_float_shape(const ConstTensorView& view, std::initializer_list<int64_t> shape) {
  const DType dtype = view.dtype();
  const bool is_float = dtype == DType::kF32 || dtype == DType::kF16 || dtype == DType::kBF16;
  return is_float && has_shape(view, dtype, shape);
}

}  // namespace quire
