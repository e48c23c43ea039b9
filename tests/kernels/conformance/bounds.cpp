#include "tests/kernels/conformance/bounds.h"

#include <algorithm>
#include <cmath>

namespace quire::test {

namespace {

/// Whether tensor cores take what is in memory as this dtype (weights or pages) as bf16.
bool is_bf16_product(Arithmetic arithmetic, DType dtype) {
  return (arithmetic == Arithmetic::kTensorCores || arithmetic == Arithmetic::kInt8TensorCores) &&
         (dtype == DType::kBF16 || dtype == DType::kMXFP4);
}

/// Whether attention takes those pages, with queries and weights, as bf16.
bool is_bf16_attention(Arithmetic arithmetic, DType pages) {
  return is_bf16_product(arithmetic, pages) ||
         (arithmetic == Arithmetic::kBf16Inputs && pages == DType::kBF16);
}

/// Whether a GPU multiplies such weights in int8.
bool is_int8_gemm(Arithmetic arithmetic, DType weight) {
  if (!has_tensor_cores(arithmetic) || arithmetic == Arithmetic::kTensorCores) return false;
  constexpr DType kTypes[] = {
      DType::kQ4_0,  DType::kQ4_1,  DType::kQ5_0,   DType::kQ5_1,   DType::kQ8_0,   DType::kQ3_K,
      DType::kQ4_K,  DType::kQ5_K,  DType::kQ6_K,   DType::kIQ4_NL, DType::kIQ4_XS, DType::kI8_128,
      DType::kI4_32, DType::kI4_64, DType::kI4_128, DType::kMXFP4,  DType::kNVFP4};
  return std::ranges::find(kTypes, weight) != std::end(kTypes);
}

/// Whether every number of that dtype is one of f16, or of bf16 where that is what it is taken as.
bool is_exact_in_halves(Arithmetic arithmetic, DType weight) {
  return weight == DType::kF16 || is_bf16_product(arithmetic, weight);
}

/// Whether they are but for the smallest.
bool is_nearly_exact_in_halves(DType weight) {
  return weight == DType::kBF16 || weight == DType::kMXFP4;
}

}  // namespace

double product_bound(Arithmetic arithmetic, DType weight, const ProductTerms& terms) {
  const double f32_sums = 0x1p-21 * (terms.sizes + std::fabs(terms.bias));
  if (arithmetic == Arithmetic::kScalar) return f32_sums;
  const bool is_quantized_run =
      arithmetic == Arithmetic::kInt8Inputs || arithmetic == Arithmetic::kBf16Inputs;
  if (is_quantized_run && is_quantized(weight)) {
    return f32_sums + kDeviations / 254.0 * std::sqrt(terms.round_squares);
  }
  if (is_int8_gemm(arithmetic, weight)) {
    // The scales of int8 folders are rounded to f16 when they are packed.
    const double scales = weight == DType::kI8_128 ? kF16Unit * kF16Unit * terms.squares : 0.0;
    return f32_sums + kDeviations * std::sqrt(terms.round_squares / (254.0 * 254.0) + scales);
  }
  if (arithmetic == Arithmetic::kBf16Inputs && weight != DType::kF32) {
    const double roundings = weight == DType::kF16 ? 2.0 : 1.0;
    return f32_sums + kDeviations * kBF16Unit * std::sqrt(roundings * terms.squares);
  }
  if (!has_tensor_cores(arithmetic) || weight == DType::kF32) return 0.0;
  if (is_bf16_product(arithmetic, weight)) {
    return f32_sums + kDeviations * kBF16Unit * std::sqrt(terms.squares);
  }
  double squares =
      kF16Unit * kF16Unit * terms.squares + kF16InputFloor * kF16InputFloor * terms.w_squares;
  if (!is_exact_in_halves(arithmetic, weight)) squares += kF16Floor * kF16Floor * terms.x_squares;
  if (!is_exact_in_halves(arithmetic, weight) && !is_nearly_exact_in_halves(weight)) {
    squares += 4.0 * kF16Unit * kF16Unit * terms.coarse_squares;
  }
  return f32_sums + kDeviations * std::sqrt(squares);
}

double embed_bound(Arithmetic arithmetic, DType weight, double value, double coarse, double scale) {
  if (arithmetic == Arithmetic::kBf16Inputs && weight == DType::kF16) {
    return kBF16Unit * std::fabs(scale * value);
  }
  if (!has_tensor_cores(arithmetic) || weight == DType::kF32) return 0.0;
  if (is_exact_in_halves(arithmetic, weight)) return 0.0;
  const double roundings = is_nearly_exact_in_halves(weight) ? 0.0 : 4.0 * kF16Unit * coarse;
  return std::fabs(scale) * (roundings + kF32Unit * std::fabs(value) + kF16Floor);
}

double attention_bound(Arithmetic arithmetic, DType pages, double spread, double largest_value) {
  // Sums and exponentials in f32, whose errors grow with the scores' as well.
  const double in_f32 = 16.0 * kF32Unit * (spread + largest_value);
  if (arithmetic == Arithmetic::kScalar || pages == DType::kF32) return in_f32;
  const bool in_bf16 = is_bf16_attention(arithmetic, pages);
  if (!has_tensor_cores(arithmetic) && !in_bf16) {
    // Queries and weights that meet whole numbers are rounded to 15 bits of their largest.
    return pages == DType::kI8 ? in_f32 + kDeviations * 0x1p-16 * (spread + largest_value) : in_f32;
  }
  const double unit = in_bf16 ? kBF16Unit : kF16Unit;
  // However the scores err, a mean of values is at most twice the largest of them away.
  return in_f32 + std::min(kDeviations * unit * spread, 2.0 * largest_value);
}

}  // namespace quire::test
