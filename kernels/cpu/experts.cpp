// route_experts, linear_experts and mix_experts.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/cpu_checks.h"
#include "kernels/cpu/parallel_rows.h"

namespace quire::cpu {
namespace {

/// The k likeliest of n logits and their probabilities.
void route_row(int32_t* ids, float* weights, const float* logits, int64_t n, int64_t k,
               bool renormalize) {
  std::vector<int32_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](int32_t a, int32_t b) {
    return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
  });
  const float maximum = logits[order[0]];
  double total = 0.0;
  for (int64_t i = 0; i < (renormalize ? k : n); ++i) {
    total += std::exp(double{logits[renormalize ? order[i] : i]} - maximum);
  }
  for (int64_t i = 0; i < k; ++i) {
    ids[i] = order[i];
    weights[i] = static_cast<float>(std::exp(double{logits[order[i]]} - maximum) / total);
  }
}

}  // namespace

void CpuBackend::route_experts(TensorView expert_ids, TensorView expert_weights,
                               ConstTensorView router_logits, bool renormalize) {
  CHECK(expert_ids.rank() == 2 && router_logits.rank() == 2);
  const int64_t num_rows = expert_ids.dim(0);
  const int64_t k = expert_ids.dim(1);
  const int64_t n = router_logits.dim(1);
  CHECK(k > 0 && k <= n);
  CHECK(has_shape(expert_ids, DType::kI32, {num_rows, k}));
  CHECK(has_shape(expert_weights, DType::kF32, {num_rows, k}));
  CHECK(has_shape(router_logits, DType::kF32, {num_rows, n}));
  auto* const ids = expert_ids.as<int32_t>();
  auto* const weights = expert_weights.as<float>();
  const auto* const logits = router_logits.as<float>();
  for_each_row(num_rows, 20 * n, [&](int64_t row) {
    route_row(ids + row * expert_ids.row_stride(), weights + row * expert_weights.row_stride(),
              logits + row * router_logits.row_stride(), n, k, renormalize);
  });
}

void CpuBackend::linear_experts(TensorView out, ConstTensorView x,
                                std::span<const LinearWeight* const> experts,
                                ConstTensorView biases, ConstTensorView expert_ids) {
  CHECK(out.rank() == 2 && x.rank() == 2 && expert_ids.rank() == 2 && !experts.empty());
  const int64_t num_tokens = expert_ids.dim(0);
  const int64_t num_rows = num_tokens * expert_ids.dim(1);
  const int64_t num_outputs = experts[0]->num_outputs();
  const int64_t num_inputs = experts[0]->num_inputs();
  const bool is_shared = x.dim(0) == num_tokens;
  CHECK(has_shape(out, DType::kF32, {num_rows, num_outputs}));
  CHECK(has_shape(x, DType::kF32, {is_shared ? num_tokens : num_rows, num_inputs}));
  CHECK(biases.empty() ||
        has_shape(biases, DType::kF32, {static_cast<int64_t>(experts.size()), num_outputs}));
  CHECK(has_shape(expert_ids, DType::kI32, {num_tokens, expert_ids.dim(1)}));
  // Rows of one expert are gathered, so that its weight is read once for all of them.
  std::vector<std::vector<int64_t>> rows_of(experts.size());
  for (int64_t i = 0; i < num_rows; ++i) {
    const int64_t k = expert_ids.dim(1);
    const int32_t e = expert_ids.as<int32_t>()[i / k * expert_ids.row_stride() + i % k];
    CHECK(e >= 0 && static_cast<size_t>(e) < experts.size());
    rows_of[static_cast<size_t>(e)].push_back(i);
  }
  for (size_t e = 0; e < experts.size(); ++e) {
    const auto count = static_cast<int64_t>(rows_of[e].size());
    if (count == 0) continue;
    m_expert_rows.resize(static_cast<size_t>(count * (num_inputs + num_outputs)));
    float* const from = m_expert_rows.data();
    float* const to = from + count * num_inputs;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t row = is_shared ? rows_of[e][i] / expert_ids.dim(1) : rows_of[e][i];
      std::memcpy(from + i * num_inputs, x.as<float>() + row * x.row_stride(),
                  static_cast<size_t>(num_inputs) * sizeof(float));
    }
    const ConstTensorView bias = biases.empty()
                                     ? ConstTensorView()
                                     : ConstTensorView(biases.as<float>() + e * biases.row_stride(),
                                                       DType::kF32, {num_outputs});
    linear(TensorView(to, DType::kF32, {count, num_outputs}),
           ConstTensorView(from, DType::kF32, {count, num_inputs}), *experts[e], bias);
    for (int64_t i = 0; i < count; ++i) {
      std::memcpy(out.as<float>() + rows_of[e][i] * out.row_stride(), to + i * num_outputs,
                  static_cast<size_t>(num_outputs) * sizeof(float));
    }
  }
}

void CpuBackend::mix_experts(TensorView out, ConstTensorView x, ConstTensorView expert_weights) {
  CHECK(out.rank() == 2 && expert_weights.rank() == 2);
  const int64_t num_rows = out.dim(0);
  const int64_t n = out.dim(1);
  const int64_t k = expert_weights.dim(1);
  CHECK(has_shape(out, DType::kF32, {num_rows, n}));
  CHECK(has_shape(x, DType::kF32, {num_rows * k, n}));
  CHECK(has_shape(expert_weights, DType::kF32, {num_rows, k}));
  float* const to = out.as<float>();
  const auto* const from = x.as<float>();
  const auto* const weights = expert_weights.as<float>();
  for_each_row(num_rows, n * k, [&](int64_t row) {
    float* const sum = to + row * out.row_stride();
    std::fill(sum, sum + n, 0.0f);
    for (int64_t j = 0; j < k; ++j) {
      const float weight = weights[row * expert_weights.row_stride() + j];
      const float* const part = from + (row * k + j) * x.row_stride();
      for (int64_t i = 0; i < n; ++i) sum[i] += weight * part[i];
    }
  });
}

}  // namespace quire::cpu
