#pragma once

#include "kernels/base/tensor_view.h"

namespace quire::cuda {

/// The dtype in which pack_linear stores a part (N, K) of any weight dtype: its own, or f32 where a
/// block's scale is so large that the format would make infinity of it or of its largest code
/// (65,504 is the largest f16). FP8, int8, NF4 and four bits by groups are checked, by reading the
/// scale of each block.
DType stored_dtype(const ConstTensorView& part);

}  // namespace quire::cuda
