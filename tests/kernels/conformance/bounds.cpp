#include "tests/kernels/conformance/bounds.h"

#include <algorithm>
#include <cmath>

namespace quire::test {

HalfKind half_kind(DType weight) {
  if (weight == DType::kF32) return HalfKind::kNone;
  return weight == DType::kBF16 || weight == DType::kMXFP4 ? HalfKind::kBF16 : HalfKind::kF16;
}

double product_bound(Arithmetic arithmetic, DType weight, const ProductTerms& terms) {
  const double f32_sums = 0x1p-21 * (terms.sizes + std::fabs(terms.bias));
  if (arithmetic == Arithmetic::kScalar) return f32_sums;
  if (arithmetic == Arithmetic::kVector || weight == DType::kF32) return 0.0;
  if (half_kind(weight) == HalfKind::kBF16) {
    return f32_sums + kDeviations * kBF16Unit * std::sqrt(terms.squares);
  }
  double squares =
      kF16Unit * kF16Unit * terms.squares + kF16InputFloor * kF16InputFloor * terms.w_squares;
  if (is_quantized(weight)) {
    squares +=
        4.0 * kF16Unit * kF16Unit * terms.coarse_squares + kF16Floor * kF16Floor * terms.x_squares;
  }
  return f32_sums + kDeviations * std::sqrt(squares);
}

double embed_bound(Arithmetic arithmetic, DType weight, double value, double coarse, double scale) {
  if (arithmetic != Arithmetic::kTensorCores) return 0.0;
  if (!is_quantized(weight) || weight == DType::kMXFP4) return 0.0;
  return std::fabs(scale) * (4.0 * kF16Unit * coarse + kF32Unit * std::fabs(value) + kF16Floor);
}

double attention_bound(Arithmetic arithmetic, DType pages, double spread, double largest_value) {
  // Sums and exponentials in f32, whose errors grow with the scores' as well.
  const double in_f32 = 16.0 * kF32Unit * (spread + largest_value);
  if (arithmetic != Arithmetic::kTensorCores || pages == DType::kF32) return in_f32;
  const double unit = pages == DType::kBF16 ? kBF16Unit : kF16Unit;
  // However the scores err, a mean of values is at most twice the largest of them away.
  return in_f32 + std::min(kDeviations * unit * spread, 2.0 * largest_value);
}

}  // namespace quire::test
