#pragma once

#include <vector>

#include "tests/kernels/conformance/bounds.h"
#include "tests/kernels/conformance/weight_matrix.h"

namespace quire::test {

/// product_bound() of each element of out (T, N) = x (T, K) W^T + bias (N; empty for none).
std::vector<double> product_bounds(Arithmetic arithmetic, const WeightMatrix& weight,
                                   const std::vector<float>& x, const std::vector<float>& bias);

}  // namespace quire::test
