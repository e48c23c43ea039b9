#include "tests/support/simt/tensor_sum.h"

#include <algorithm>
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

/// total * 2^exponent, cut off towards zero.
float cut_to_f32(int64_t total, int exponent) {
  const double exact = std::ldexp(static_cast<double>(total), exponent);
  if (std::fabs(exact) >= 0x1p128) return std::copysign(HUGE_VALF, static_cast<float>(total));
  const auto rounded = static_cast<float>(exact);
  return std::fabs(rounded) > std::fabs(exact) ? std::nextafterf(rounded, 0.0f) : rounded;
}

}  // namespace

Operand operand_of(float x, int fraction, int least_exponent) {
  if (x == 0.0f) return {0, kNoExponent};
  const int exponent = std::max(std::ilogb(x), least_exponent);
  return {static_cast<int32_t>(std::ldexp(x, fraction - exponent)), exponent};
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
