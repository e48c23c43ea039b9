#pragma once

#include <cstdint>

#include "kernels/base/dtype.h"

namespace quire {

/// out[i] = the value of element i of a row of n elements, which are whole blocks. Defines each
/// format (ggml's dequantize_row_*) with the float32 operations of the `gguf` Python package in the
/// same order, so that results are bit-identical. row: any dtype but i32, any alignment.
void dequantize_row(DType dtype, const void* row, float* out, int64_t n);

/// Values of the 4-bit codes of IQ4_NL and IQ4_XS.
inline constexpr int8_t kIq4Values[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                          1,    13,   25,  38,  53,  69,  89,  113};
/// Twice the values of the 4-bit codes of MXFP4; code 8 is +0 here, as in ggml.
inline constexpr int8_t kMxfp4Values[16] = {0, 1,  2,  3,  4,  6,  8,  12,
                                            0, -1, -2, -3, -4, -6, -8, -12};

}  // namespace quire
