// route_experts, linear_experts and mix_experts.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "kernels/base/shape_checks.h"
#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/linear_run.h"
#include "kernels/cpu/parallel_rows.h"

namespace quire::cpu {
namespace {

/// The top k of n logits and their probabilities.
void route_row(int32_t* ids, float* weights, const float* logits, int64_t n, int64_t k,
               bool renormalize) {
  std::vector<int32_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  // NaN (of a broken model) is ordered last.
  const auto rank = [&](int32_t e) { return std::isnan(logits[e]) ? -HUGE_VALF : logits[e]; };
  std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](int32_t a, int32_t b) {
    return rank(a) != rank(b) ? rank(a) > rank(b) : a < b;
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

/// The rows of an expert in `rows`: [begin, begin + count).
struct ExpertRows {
  size_t expert;
  int64_t begin;
  int64_t count;
};

/// Sorts the rows of out by expert, ascending within an expert, into `rows`; returns the experts
/// that have any.
std::vector<ExpertRows> sort_by_expert(const ConstTensorView& expert_ids, size_t num_experts,
                                       std::vector<int64_t>& rows) {
  const int64_t k = expert_ids.dim(1);
  const auto id = [&](int64_t row) {
    const int32_t e = expert_ids.as<int32_t>()[row / k * expert_ids.row_stride() + row % k];
    CHECK(e >= 0 && static_cast<size_t>(e) < num_experts);
    return static_cast<size_t>(e);
  };
  const int64_t num_rows = expert_ids.dim(0) * k;
  std::vector<ExpertRows> experts(num_experts);
  for (int64_t row = 0; row < num_rows; ++row) ++experts[id(row)].count;
  int64_t begin = 0;
  for (size_t e = 0; e < num_experts; ++e) {
    experts[e] = {e, begin, experts[e].count};
    begin += experts[e].count;
  }
  rows.resize(static_cast<size_t>(num_rows));
  std::vector<int64_t> next;
  for (const ExpertRows& e : experts) next.push_back(e.begin);
  for (int64_t row = 0; row < num_rows; ++row) rows[static_cast<size_t>(next[id(row)]++)] = row;
  std::erase_if(experts, [](const ExpertRows& e) { return e.count == 0; });
  return experts;
}

/// The tensors of linear_experts.
struct ExpertCall {
  TensorView out;
  ConstTensorView x;
  std::span<const LinearWeight* const> experts;
  ConstTensorView biases;
  int64_t rows_per_x;  ///< Rows of out for one of x.

  const float* input(int64_t row) const {
    return x.as<float>() + row / rows_per_x * x.row_stride();
  }
  float* output(int64_t row) const { return out.as<float>() + row * out.row_stride(); }

  /// Expert e for num_rows rows; x and out are set by the caller.
  LinearRun run(size_t e, int64_t num_rows) const {
    const auto* const weight = dynamic_cast<const PackedLinear*>(experts[e]);
    CHECK(weight != nullptr && weight->num_outputs() == out.dim(1));
    CHECK(weight->num_inputs() == x.dim(1));
    const auto row = static_cast<int64_t>(e);
    return {.weight = weight,
            .bias = biases.empty() ? nullptr : biases.as<float>() + row * biases.row_stride(),
            .num_rows = num_rows,
            .out = nullptr,
            .out_stride = out.row_stride(),
            .x = nullptr,
            .x_stride = x.row_stride()};
  }
};

/// The rows of experts that have several, copied in the experts' order, so that a weight is read
/// once for all of them.
struct SharedRows {
  std::vector<int64_t> rows;
  bool has_all = false;  ///< Also of experts with one row.
  const float* x_chunks = nullptr;
  float* outputs = nullptr;  ///< (rows, N)
};

/// copies_all: the rows of experts with one row are copied, too.
std::vector<int64_t> find_shared_rows(std::span<const ExpertRows> experts,
                                      std::span<const int64_t> rows, bool copies_all) {
  std::vector<int64_t> shared;
  for (const ExpertRows& e : experts) {
    if (copies_all || e.count > 1)
      shared.insert(shared.end(), &rows[e.begin], &rows[e.begin] + e.count);
  }
  return shared;
}

/// A run for each expert with shared rows, and one for each other row, which is read and written in
/// place. rows: sorted by expert.
std::vector<LinearRun> plan_runs(const CpuKernels& kernels, const ExpertCall& call,
                                 std::span<const ExpertRows> experts, std::span<const int64_t> rows,
                                 const SharedRows& shared) {
  std::vector<LinearRun> runs;
  int64_t next = 0;
  for (const ExpertRows& e : experts) {
    if (shared.has_all || e.count > 1) {
      LinearRun run = call.run(e.expert, e.count);
      run.out = shared.outputs + next * call.out.dim(1);
      run.out_stride = call.out.dim(1);
      use_packed_activations(run, kernels, shared.x_chunks + next * kChunkInputs,
                             static_cast<int64_t>(shared.rows.size()));
      runs.push_back(run);
      next += e.count;
      continue;
    }
    for (int64_t row : rows.subspan(static_cast<size_t>(e.begin), static_cast<size_t>(e.count))) {
      LinearRun run = call.run(e.expert, 1);
      run.x = call.input(row);
      run.out = call.output(row);
      runs.push_back(run);
    }
  }
  return runs;
}

/// The quantised activations of all rows, sorted by expert, and their outputs.
struct QuantizedRows {
  std::vector<const Int8Chunk*> int8;
  std::vector<const uint16_t*> bf16;
  std::vector<float*> out;
  int64_t stride = 0;  ///< LinearRun::quantized_chunk_stride
};

/// The expert for the rows [begin, begin + count) of `quantized`.
LinearRun quantized_run(const ExpertCall& call, const QuantizedRows& quantized, size_t expert,
                        int64_t begin, int64_t count) {
  LinearRun run = call.run(expert, count);
  if (!quantized.int8.empty()) run.x_int8 = quantized.int8.data() + begin;
  if (!quantized.bf16.empty()) run.x_bf16 = quantized.bf16.data() + begin;
  run.quantized_chunk_stride = quantized.stride;
  run.out_rows = quantized.out.data() + begin;
  return run;
}

/// A run for each expert, or for each row where parts of its weight need f32 activations. rows:
/// sorted by expert.
std::vector<LinearRun> plan_quantized_runs(const ExpertCall& call,
                                           std::span<const ExpertRows> experts,
                                           std::span<const int64_t> rows,
                                           const QuantizedRows& quantized) {
  std::vector<LinearRun> runs;
  for (const ExpertRows& e : experts) {
    const LinearRun all = quantized_run(call, quantized, e.expert, e.begin, e.count);
    if (all.uses_quantized_activations()) {
      runs.push_back(all);
      continue;
    }
    for (int64_t i = e.begin; i < e.begin + e.count; ++i) {
      LinearRun run = quantized_run(call, quantized, e.expert, i, 1);
      run.x = call.input(rows[static_cast<size_t>(i)]);
      run.out = call.output(rows[static_cast<size_t>(i)]);
      runs.push_back(run);
    }
  }
  return runs;
}

bool has_any(std::span<const LinearWeight* const> experts, bool (PackedLinear::*has)() const) {
  return std::ranges::any_of(experts, [has](const LinearWeight* weight) {
    const auto* const packed = dynamic_cast<const PackedLinear*>(weight);
    return packed != nullptr && (packed->*has)();
  });
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
  const int64_t k = expert_ids.dim(1);
  const int64_t num_rows = expert_ids.dim(0) * k;
  const int64_t num_outputs = experts[0]->num_outputs();
  const int64_t num_inputs = experts[0]->num_inputs();
  const auto num_experts = static_cast<int64_t>(experts.size());
  const int64_t rows_per_x = x.dim(0) == num_rows ? 1 : k;
  CHECK(has_shape(expert_ids, DType::kI32, {expert_ids.dim(0), k}));
  CHECK(has_shape(out, DType::kF32, {num_rows, num_outputs}));
  CHECK(has_shape(x, DType::kF32, {num_rows / rows_per_x, num_inputs}));
  CHECK(biases.empty() || has_shape(biases, DType::kF32, {num_experts, num_outputs}));

  const ExpertCall call = {out, x, experts, biases, rows_per_x};
  std::vector<int64_t> rows;
  const std::vector<ExpertRows> groups = sort_by_expert(expert_ids, experts.size(), rows);
  const bool to_int8 = m_quantizes_activations && has_any(experts, &PackedLinear::has_quantized);
  const bool to_bf16 = computes_in_bf16() && has_any(experts, &PackedLinear::has_halves);
  if (to_int8 || to_bf16) {
    std::vector<const float*> inputs;
    for (int64_t row = 0; row < num_rows; row += rows_per_x) inputs.push_back(call.input(row));
    QuantizedActivations<Int8Chunk> x_int8 = {};
    QuantizedActivations<uint16_t> x_bf16 = {};
    if (to_int8) x_int8 = quantize_activations(inputs, num_inputs);
    if (to_bf16) x_bf16 = convert_to_bf16(inputs, num_inputs);
    QuantizedRows quantized;
    quantized.stride = std::max(x_int8.stride, x_bf16.stride);
    for (int64_t row : rows) {
      if (to_int8) quantized.int8.push_back(x_int8.rows[row / rows_per_x]);
      if (to_bf16) quantized.bf16.push_back(x_bf16.rows[row / rows_per_x]);
      quantized.out.push_back(call.output(row));
    }
    return run_linear(plan_quantized_runs(call, groups, rows, quantized));
  }
  SharedRows shared;
  // LinearRows does not support quantised weights in all variants.
  shared.has_all = has_any(experts, &PackedLinear::has_quantized);
  shared.rows = find_shared_rows(groups, rows, shared.has_all);
  if (!shared.rows.empty()) {
    std::vector<const float*> inputs;
    for (int64_t row : shared.rows) inputs.push_back(call.input(row));
    shared.x_chunks = pack_activations(inputs, num_inputs);
    shared.outputs = scratch<float>(
        m_expert_outputs, shared.rows.size() * static_cast<size_t>(num_outputs) * sizeof(float));
  }
  run_linear(plan_runs(m_kernels, call, groups, rows, shared));
  for (size_t i = 0; i < shared.rows.size(); ++i) {
    std::memcpy(call.output(shared.rows[i]), shared.outputs + static_cast<int64_t>(i) * num_outputs,
                static_cast<size_t>(num_outputs) * sizeof(float));
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
