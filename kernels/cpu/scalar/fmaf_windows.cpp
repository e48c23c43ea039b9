// mingw-w64's fmaf() adds the parts of the product one by one and rounds each time, so that the
// scalar kernels would not give the bits of those with vector instructions, whose products are
// fused. This one is linked in its place.

#include <bit>
#include <cmath>
#include <cstdint>

/// a * b + c, rounded once. The product is exact in double; the sum is rounded to odd there, which
/// a second rounding to float cannot notice (Boldo and Melquiond, "Emulation of a FMA and correctly
/// rounded sums: proved algorithms using rounding to odd", 2008).
extern "C" float fmaf(float a, float b, float c) {
  const double product = double{a} * double{b};
  const double sum = product + double{c};
  const double part = sum - product;
  const double lost = (product - (sum - part)) + (double{c} - part);
  const auto bits = std::bit_cast<uint64_t>(sum);
  if (!std::isfinite(sum) || lost == 0.0 || (bits & 1) != 0) return static_cast<float>(sum);
  // The neighbour on the side of the exact value.
  const bool is_larger = (lost > 0.0) == (sum > 0.0);
  return static_cast<float>(std::bit_cast<double>(is_larger ? bits + 1 : bits - 1));
}
