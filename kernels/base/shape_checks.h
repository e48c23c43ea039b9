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

/// The number of rows of weight's size in each row of out: 1 for (T, C), H for (T, H, D). Checks
/// the shapes of a norm's operands.
inline int64_t checked_norm_heads(const ConstTensorView& out, const ConstTensorView& x,
                                  const ConstTensorView& weight) {
  const int64_t num_rows = out.dim(0);
  const int64_t n = weight.dim(0);
  const int64_t num_heads = out.rank() == 3 ? out.dim(1) : 1;
  CHECK(out.rank() == 3 ? have_shape({out, x}, {num_rows, num_heads, n})
                        : have_shape({out, x}, {num_rows, n}));
  CHECK(have_shape({weight}, {n}));
  return num_heads;
}

}  // namespace quire
