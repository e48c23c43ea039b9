#pragma once

#include <cstdint>

#include "kernels/base/dtype.h"

namespace quire {

/// The largest number that the dtype can hold without overflow of a block's scale.
float largest_quantizable(DType dtype);

/// Writes a row of n numbers, which are whole blocks, in the dtype: F32, F16, BF16, Q4_0, Q4_1,
/// Q5_0, Q5_1, Q8_0, Q2_K to Q6_K, IQ4_NL, IQ4_XS or MXFP4. Codes and scales minimise the squared
/// error, weighted by `importance` (n, at least 0: mean squared inputs of each column); null: by
/// what the numbers themselves say. Only finite numbers up to largest_quantizable(). The result
/// depends on nothing but the arguments. Thread: any.
void quantize_row(DType dtype, const float* x, const float* importance, int64_t n, void* out);

}  // namespace quire
