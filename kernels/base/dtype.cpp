#include "kernels/base/dtype.h"

#include <bit>
#include <cmath>
#include <iterator>

#include "kernels/base/check.h"

namespace quire {

namespace {

struct DTypeFacts {
  std::string_view name;
  int64_t block_elements;
  int64_t block_bytes;
};

/// Indexed by DType; blocks as ggml-common.h defines them.
constexpr DTypeFacts kFacts[] = {
    {"f32", 1, 4},       {"f16", 1, 2},         {"bf16", 1, 2},         {"i32", 1, 4},
    {"f8_e4m3", 1, 1},   {"i8", 1, 1},          {"q4_0", 32, 18},       {"q4_1", 32, 20},
    {"q5_0", 32, 22},    {"q5_1", 32, 24},      {"q8_0", 32, 34},       {"q2_k", 256, 84},
    {"q3_k", 256, 110},  {"q4_k", 256, 144},    {"q5_k", 256, 176},     {"q6_k", 256, 210},
    {"iq4_nl", 32, 18},  {"iq4_xs", 256, 136},  {"mxfp4", 32, 17},      {"iq2_xxs", 256, 66},
    {"iq2_xs", 256, 74}, {"iq2_s", 256, 82},    {"iq3_xxs", 256, 98},   {"iq3_s", 256, 110},
    {"iq1_s", 256, 50},  {"iq1_m", 256, 56},    {"tq1_0", 256, 54},     {"tq2_0", 256, 66},
    {"nvfp4", 64, 36},   {"q1_0", 128, 18},     {"q2_0", 64, 18},       {"int4_32", 32, 19},
    {"int4_64", 64, 35}, {"int4_128", 128, 67}, {"int8_128", 128, 132}, {"fp8_128", 128, 132},
    {"nf4_64", 64, 36},
};
static_assert(std::size(kFacts) == static_cast<size_t>(kLastDType) + 1);

const DTypeFacts& facts(DType dtype) {
  const auto i = static_cast<size_t>(dtype);
  CHECK(i < std::size(kFacts));
  return kFacts[i];
}

}  // namespace

std::string_view dtype_name(DType dtype) {
  return facts(dtype).name;
}

bool is_quantized(DType dtype) {
  return facts(dtype).block_elements > 1;
}

bool has_integer_codes(DType dtype) {
  return is_quantized(dtype) && dtype != DType::kF8_128 && dtype != DType::kNF4_64;
}

bool is_weight_dtype(DType dtype) {
  return dtype != DType::kI32 && dtype != DType::kF8E4M3 && dtype != DType::kI8;
}

int64_t dtype_block_elements(DType dtype) {
  return facts(dtype).block_elements;
}

int64_t dtype_block_bytes(DType dtype) {
  return facts(dtype).block_bytes;
}

int64_t dtype_bytes(DType dtype) {
  CHECK(!is_quantized(dtype));
  return facts(dtype).block_bytes;
}

int64_t dtype_span_bytes(DType dtype, int64_t n) {
  const DTypeFacts& of = facts(dtype);
  CHECK(n % of.block_elements == 0);
  return n / of.block_elements * of.block_bytes;
}

float bf16_to_f32(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

float f16_to_f32(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1f;
  const uint32_t mantissa = bits & 0x3ff;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }
  const uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | (wide << 23) | (mantissa << 13));
}

uint16_t f32_to_bf16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return static_cast<uint16_t>((bits >> 16) | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

uint16_t f32_to_f16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
  if (std::isnan(value)) return sign | 0x7e00;
  const float magnitude = std::fabs(value);
  if (magnitude >= 65520.0f) return sign | 0x7c00;
  if (magnitude < 6.103515625e-05f) {  // Subnormal: a multiple of 2^-24, rounded to even.
    return sign | static_cast<uint16_t>(std::nearbyint(magnitude * 16777216.0f));
  }
  const uint32_t rounded = (bits & 0x7fffffff) + 0xfff + ((bits >> 13) & 1);
  return sign | static_cast<uint16_t>((rounded - (112u << 23)) >> 13);
}

}  // namespace quire
