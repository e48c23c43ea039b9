#include "tests/support/simt/tensor_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace simt {
namespace {

constexpr int kF32Fraction = 23;
constexpr int kF32LeastExponent = -126;
/// Below the exponent of any product.
constexpr int kNoExponent = -10000;

/// x * 2^shift, cut off towards zero.
int64_t shift_towards_zero(int64_t x, int shift) {
  if (shift >= 0) return x * (int64_t{1} << shift);
  if (shift <= -63) return 0;
  return x / (int64_t{1} << -shift);
}

/// total * 2^exponent, cut off towards zero. Both factors and their product are doubles.
float cut_to_f32(int64_t total, int exponent) {
  const auto power = std::bit_cast<double>(static_cast<uint64_t>(1023 + exponent) << 52);
  const double exact = static_cast<double>(total) * power;
  if (std::fabs(exact) >= 0x1p128) return std::copysign(HUGE_VALF, static_cast<float>(total));
  const auto rounded = static_cast<float>(exact);
  if (std::fabs(rounded) <= std::fabs(exact)) return rounded;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(rounded) - 1);  // The next towards zero.
}

}  // namespace

Operand operand_of(float x, int fraction, int least_exponent) {
  const uint32_t magnitude = std::bit_cast<uint32_t>(x) & 0x7fffffffu;
  if (magnitude == 0) return {0, kNoExponent};
  const uint32_t leading_bit = 1u << kF32Fraction;  // Not stored, and none in a subnormal number.
  const bool is_normal = magnitude >= leading_bit;
  const int own = is_normal ? static_cast<int>(magnitude >> kF32Fraction) - 127 : kF32LeastExponent;
  const uint32_t bits = is_normal ? magnitude % leading_bit + leading_bit : magnitude;
  const int exponent = std::max(own, least_exponent);
  const auto significand = static_cast<int32_t>(bits >> (kF32Fraction - fraction + exponent - own));
  return {x < 0.0f ? -significand : significand, exponent};
}

float add_products(const SumRule& rule, float sum, const Operand* a, const Operand* b,
                   int fraction) {
  if (!std::isfinite(sum)) return sum;  // It has overflowed.
  const Operand before = operand_of(sum, kF32Fraction, kF32LeastExponent);
  int largest = before.exponent;
  for (unsigned i = 0; i < rule.group; ++i) {
    if (a[i].significand == 0 || b[i].significand == 0) continue;
    largest = std::max(largest, a[i].exponent + b[i].exponent);
  }
  if (largest == kNoExponent) return 0.0f;
  int64_t total = shift_towards_zero(before.significand,
                                     rule.fraction_bits - kF32Fraction + before.exponent - largest);
  for (unsigned i = 0; i < rule.group; ++i) {
    const int64_t product = int64_t{a[i].significand} * b[i].significand;
    if (product == 0) continue;
    const int exponent = a[i].exponent + b[i].exponent;
    total += shift_towards_zero(product, rule.fraction_bits - 2 * fraction + exponent - largest);
  }
  return cut_to_f32(total, largest - rule.fraction_bits);
}

}  // namespace simt
