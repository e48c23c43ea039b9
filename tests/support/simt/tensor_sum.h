#pragma once

#include <cstdint>

namespace simt {

/// A number as a tensor core's multipliers take it: significand * 2^(exponent - fraction), with
/// fraction the format's (10 for f16, 7 for bf16, 23 for f32). Subnormal numbers keep the format's
/// least exponent.
struct Operand {
  int32_t significand;
  int32_t exponent;
};

/// How a tensor core adds up products, as measured on GPUs and published (F. Khattak, M. Mikaitis,
/// "Accurate Models of NVIDIA Tensor Cores", arXiv:2512.07004; P. Xie et al., "Bit-Accurate
/// Modeling of GPU Matrix Multiply-Accumulate Units", arXiv:2511.10909): the products of a group,
/// which are exact, and the sum before are aligned to the largest exponent among them and cut off
/// after so many bits of a fraction; their sum is cut off to f32. Products that are zero do not
/// count.
struct SumRule {
  unsigned group;     ///< Products that are added at once.
  int fraction_bits;  ///< Kept at the largest exponent; 23 are f32's.
};
/// m16n8k8 of Turing, which is used twice for k = 16, and m16n8k16 of Ampere and Ada.
inline constexpr SumRule kSumsOfEight = {8, 24};
/// m16n8k16 of Hopper and Blackwell.
inline constexpr SumRule kSumsOfSixteen = {16, 25};

/// fraction: of the format of a and b.
Operand operand_of(float x, int fraction, int least_exponent);
/// sum + the products of `rule.group` pairs of finite numbers.
float add_products(const SumRule& rule, float sum, const Operand* a, const Operand* b,
                   int fraction);

}  // namespace simt
