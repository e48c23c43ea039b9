#include "tests/kernels/conformance/product_terms.h"

#include <algorithm>
#include <cmath>

namespace quire::test {
namespace {

double largest_of(const float* x, int64_t n) {
  double most = 0.0;
  for (int64_t i = 0; i < n; ++i) most = std::max(most, std::fabs(double{x[i]}));
  return most;
}

ProductTerms terms_of(const float* x, const float* w, const float* coarse, int64_t K) {
  ProductTerms terms;
  double most = 0.0;
  for (int64_t k = 0; k < K; ++k) {
    if (k % 32 == 0) most = largest_of(x + k, std::min<int64_t>(32, K - k));
    terms.round_squares += most * w[k] * most * w[k];
    const double product = double{x[k]} * w[k];
    const double largest = double{x[k]} * coarse[k];
    terms.sizes += std::fabs(product);
    terms.squares += product * product;
    terms.coarse_squares += largest * largest;
    terms.x_squares += double{x[k]} * x[k];
    terms.w_squares += double{w[k]} * w[k];
  }
  return terms;
}

}  // namespace

std::vector<double> product_bounds(Arithmetic arithmetic, const WeightMatrix& weight,
                                   const std::vector<float>& x, const std::vector<float>& bias) {
  const int64_t N = weight.rows;
  const int64_t K = weight.columns;
  const auto T = static_cast<int64_t>(x.size()) / K;
  std::vector<double> bounds(static_cast<size_t>(T * N));
  // Where every bit must be the same, there is nothing to sum.
  if (product_bound(arithmetic, weight.dtype, {.sizes = 1.0}) == 0.0) return bounds;
  for (int64_t t = 0; t < T; ++t) {
    for (int64_t n = 0; n < N; ++n) {
      ProductTerms terms =
          terms_of(x.data() + t * K, weight.exact.data() + n * K, weight.coarse.data() + n * K, K);
      if (!bias.empty()) terms.bias = bias[static_cast<size_t>(n)];
      bounds[static_cast<size_t>(t * N + n)] = product_bound(arithmetic, weight.dtype, terms);
    }
  }
  return bounds;
}

}  // namespace quire::test
