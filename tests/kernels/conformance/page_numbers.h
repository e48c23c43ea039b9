#pragma once

#include <cstdint>
#include <vector>

#include "kernels/base/dtype.h"

/// Numbers in the dtypes that pages of keys and values have: f32, f16, bf16, f8_e4m3, and i8 with a
/// scale for each slot.
namespace quire::test {

/// The number that 8 bits of E4M3 are (arXiv:2209.05433, table 1: no infinities, one NaN a sign).
float f8_e4m3_to_f32(uint8_t bits);
/// The nearest number of E4M3, ties to the even code, saturating at 448.
uint8_t f32_to_f8_e4m3(float x);

/// Bytes of n numbers.
int64_t page_bytes(DType dtype, int64_t n);

/// Writes n numbers, a slot's of one head. Returns the slot's scale: for i8 the largest size over
/// 127, for the others 1.
float encode_slot(DType dtype, const float* x, int64_t n, uint8_t* out);

/// The numbers of a slot again.
void decode_slot(DType dtype, const uint8_t* bytes, float scale, int64_t n, float* out);

}  // namespace quire::test
