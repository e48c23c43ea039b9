#pragma once

#include "tests/kernels/conformance/conformance.h"

/// How far a column may be from its oracle, and why.
///
/// Rounding a number to p bits moves it by at most u = 2^-p of itself. The n roundings of a sum are
/// independent of each other, so together they move it by about u sqrt(sum of squares of its
/// terms), much less than u times the sum of their sizes: a bound of the second kind would hide a
/// wrong weight among a few hundred. A relative error between -u and u has a standard deviation of
/// at most u / sqrt(3), so kDeviations times u times the root is seven of them.
namespace quire::test {

inline constexpr double kF32Unit = 0x1p-24;
inline constexpr double kF16Unit = 0x1p-11;
inline constexpr double kBF16Unit = 0x1p-8;
inline constexpr double kDeviations = 4.0;

/// Rounding below f16's normal numbers errs by at most this, not relatively.
inline constexpr double kF16Floor = 0x1p-25;
/// Activations meet f16 weights times 2^-6 (kF16InputScale), so theirs is this.
inline constexpr double kF16InputFloor = 0x1p-19;

/// Elementary functions (exp, tanh, cos, rsqrt) of a column and of its oracle are each right to a
/// few units in the last place, and so is what is multiplied with them: 2^-20 of the result is
/// sixteen units.
inline constexpr double kFunctionError = 0x1p-20;

/// What an output of a linear layer is the sum of: x[k] w[k] over k.
struct ProductTerms {
  double sizes = 0.0;           ///< sum of |x w|
  double squares = 0.0;         ///< sum of (x w)^2
  double coarse_squares = 0.0;  ///< sum of (x c)^2, c the largest weight of w's group of 16
  double round_squares = 0.0;   ///< sum of (m w)^2, m the largest x of its group of 32
  double x_squares = 0.0;
  double w_squares = 0.0;
  double bias = 0.0;
};

/// Of an output of linear or linear_experts.
/// kVector, and f32 weights everywhere: zero, the order of the sums is a promise.
/// kScalar: f32 sums, 2^-21 of the terms' sizes.
/// kInt8Inputs: quantised weights as kScalar, and each input moved by half a step at most, of which
/// 127 are the largest of its group. kBf16Inputs: so, too, and halves and their inputs as bf16.
/// kTensorCores: inputs rounded to halves (bf16 for bf16 and MXFP4 weights, f16 for the others);
/// quantised weights to f16 as well, by a few roundings that are relative to the largest of a
/// group, because codes have offsets that cancel. kInt8TensorCores: of quantised weights whose
/// codes are integers as kInt8Inputs. kF16TensorCores: so, too, and f16 for all others.
double product_bound(Arithmetic arithmetic, DType weight, const ProductTerms& terms);

/// Of an element of embed: kBf16Inputs keeps f16 weights as bf16, a rounding of each. Otherwise
/// zero where the value in `weight` or in halves is exact (all floats, and
/// MXFP4, whose fragments are bf16); otherwise four roundings to f16 of the group's largest
/// (step times code and minimum, at most three times it together, and their sum). A GPU may round
/// the product with `scale` at another place: one unit of f32.
double embed_bound(Arithmetic arithmetic, DType weight, double value, double coarse, double scale);

/// Of an element of attention, whose AttentionInDouble::spread is `spread` and whose values are at
/// most `largest_value`. Queries and weights are rounded to f32, or to the half that the pages'
/// dtype is multiplied as: f16 but for bf16 pages. A CPU's vectors round them to 15 bits of their
/// largest for pages of i8.
double attention_bound(Arithmetic arithmetic, DType pages, double spread, double largest_value);

}  // namespace quire::test
