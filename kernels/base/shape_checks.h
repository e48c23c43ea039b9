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

/// Whether all of them are f32 and have that shape.
inline bool have_shape(std::initializer_list<ConstTensorView> views,
                       std::initializer_list<int64_t> shape) {
  for (const ConstTensorView& view : views) {
    if (!has_shape(view, DType::kF32, shape)) return false;
  }
  return true;
}

}  // namespace quire
