#include "tests/kernels/conformance/page_numbers.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/base/check.h"

namespace quire::test {

float f8_e4m3_to_f32(uint8_t bits) {
  const int exponent = (bits >> 3) & 15;
  const int mantissa = bits & 7;
  float size = std::ldexp(static_cast<float>(exponent == 0 ? mantissa : mantissa + 8),
                          std::max(exponent, 1) - 10);
  if (exponent == 15 && mantissa == 7) size = std::numeric_limits<float>::quiet_NaN();
  return (bits & 0x80) != 0 ? -size : size;
}

uint8_t f32_to_f8_e4m3(float x) {
  const auto sign = static_cast<uint8_t>(std::signbit(x) ? 0x80 : 0);
  if (std::isnan(x)) return static_cast<uint8_t>(sign | 0x7f);
  const double size = std::fabs(x);
  // Codes ascend with their numbers; the nearest two of x are around the first that is not below.
  uint8_t above = 0;
  while (above < 0x7e && f8_e4m3_to_f32(above) < size) ++above;
  if (above == 0) return sign;
  const auto below = static_cast<uint8_t>(above - 1);
  const double to_above = f8_e4m3_to_f32(above) - size;
  const double to_below = size - f8_e4m3_to_f32(below);
  const bool takes_above = to_above != to_below ? to_above < to_below : above % 2 == 0;
  return static_cast<uint8_t>(sign | (takes_above ? above : below));
}

int64_t page_bytes(DType dtype, int64_t n) {
  return dtype == DType::kF8E4M3 || dtype == DType::kI8 ? n : n * dtype_bytes(dtype);
}

namespace {

float encode_i8(const float* x, int64_t n, uint8_t* out) {
  float largest = 0.0f;
  for (int64_t i = 0; i < n; ++i) largest = std::max(largest, std::fabs(x[i]));
  const float scale = largest / 127.0f;
  for (int64_t i = 0; i < n; ++i) {
    const float code = scale > 0.0f ? std::nearbyint(x[i] / scale) : 0.0f;
    out[i] = static_cast<uint8_t>(static_cast<int8_t>(code));
  }
  return scale;
}

uint16_t to_half(DType dtype, float x) {
  return dtype == DType::kBF16 ? f32_to_bf16(x) : f32_to_f16(x);
}

}  // namespace

float encode_slot(DType dtype, const float* x, int64_t n, uint8_t* out) {
  if (dtype == DType::kI8) return encode_i8(x, n, out);
  for (int64_t i = 0; i < n; ++i) {
    if (dtype == DType::kF8E4M3) {
      out[i] = f32_to_f8_e4m3(x[i]);
    } else if (dtype == DType::kF32) {
      std::memcpy(out + i * 4, x + i, 4);
    } else {
      const uint16_t bits = to_half(dtype, x[i]);
      std::memcpy(out + i * 2, &bits, 2);
    }
  }
  return 1.0f;
}

void decode_slot(DType dtype, const uint8_t* bytes, float scale, int64_t n, float* out) {
  for (int64_t i = 0; i < n; ++i) {
    if (dtype == DType::kI8) {
      out[i] = scale * static_cast<float>(static_cast<int8_t>(bytes[i]));
    } else if (dtype == DType::kF8E4M3) {
      out[i] = f8_e4m3_to_f32(bytes[i]);
    } else if (dtype == DType::kF32) {
      std::memcpy(out + i, bytes + i * 4, 4);
    } else {
      uint16_t half = 0;
      std::memcpy(&half, bytes + i * 2, 2);
      out[i] = dtype == DType::kBF16 ? bf16_to_f32(half) : f16_to_f32(half);
    }
  }
}

}  // namespace quire::test
