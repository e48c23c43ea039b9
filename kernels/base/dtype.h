#pragma once

#include <cstdint>
#include <string_view>

namespace quire {

/// Element types of tensors. Quantised block types (GGUF's) are appended as they are supported.
enum class DType : uint8_t { kF32, kF16, kBF16, kI32 };

/// "f32", "bf16", ... as printed to users.
std::string_view dtype_name(DType dtype);

/// Bytes of one element.
int64_t dtype_bytes(DType dtype);

/// The value of 16 bits of bfloat16 (the upper half of an IEEE float) or IEEE half precision.
float bf16_to_f32(uint16_t bits);
float f16_to_f32(uint16_t bits);
/// Rounds to nearest, ties to even; NaN stays NaN.
uint16_t f32_to_bf16(float value);
uint16_t f32_to_f16(float value);

}  // namespace quire
