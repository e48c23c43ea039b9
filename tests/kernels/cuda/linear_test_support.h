#pragma once

#include <QString>

#include <memory>
#include <vector>

#include "kernels/cuda/operations.h"
#include "kernels/cuda/weights/packed_weight.h"
#include "tests/kernels/cuda/weights_test_support.h"

/// What the tests of GEMMs share: operations on host numbers, on the GPU of the harness and with
/// the scalar CPU backend.
namespace quire::test {

/// A linear layer and rows for it.
struct LinearProblem {
  WeightNumbers weight;
  std::vector<float> x;  ///< (T, K)
  std::vector<float> bias;

  LinearProblem(DType dtype, int64_t outputs, int64_t inputs, int64_t rows, uint32_t seed);
  int64_t num_rows() const { return static_cast<int64_t>(x.size()) / weight.columns; }
};

/// As make_queue(); device memory is not protected between kernels, which takes time.
std::unique_ptr<cuda::CommandQueue> make_quick_queue(int compute_capability = 90);

std::unique_ptr<LinearWeight> pack(cuda::CommandQueue& queue,
                                   const std::vector<ConstTensorView>& parts);

/// linear() of rows x (T, K); bias may be empty. Rows of out and x lie further apart than they
/// are long.
std::vector<float> run_linear(cuda::CommandQueue& queue, const LinearWeight& weight,
                              const std::vector<float>& x, const std::vector<float>& bias,
                              cuda::CublasGemm* fast = nullptr);
std::vector<float> scalar_linear(const std::vector<ConstTensorView>& parts,
                                 const std::vector<float>& x, const std::vector<float>& bias);

/// How far each GEMM (T, N) may be from the scalar backend's, whose weights are exact and whose
/// inputs are not rounded: the format's bound for each weight, half a unit in the last place of an
/// input, and the order of summation.
std::vector<double> product_bounds(const LinearProblem& problem, bool has_bf16 = true);

/// Text of a dtype, for names of tests.
QString dtype_text(DType dtype);
/// Inputs that leave chunks, units and blocks of the dtype unfilled.
int64_t odd_inputs(DType dtype);

/// Rows [first, first + count) of numbers (T, n).
std::vector<float> rows_of(const std::vector<float>& numbers, int64_t n, int64_t first,
                           int64_t count);

}  // namespace quire::test
