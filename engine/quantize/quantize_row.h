#pragma once

#include <cstdint>

#include "kernels/base/dtype.h"

namespace quire {

/// Whether quantize_row() writes this dtype: F32, F16, BF16 and GGUF's block formats that
/// kernels/base/dequantize.h reads.
bool can_quantize(DType dtype);

/// The largest number that the dtype can hold without overflow of a block's scale.
float largest_quantizable(DType dtype);

/// Writes a row of n numbers, which are whole blocks, in the dtype. Codes and scales minimise the
/// squared error, weighted by `importance` (n, at least 0: mean squared inputs of each column);
/// null: by what the numbers themselves say. Only finite numbers up to largest_quantizable().
/// The result depends on nothing but the arguments. Thread: any.
void quantize_row(DType dtype, const float* x, const float* importance, int64_t n, void* out);

}  // namespace quire
