// route_experts, linear_experts, linear_heads and mix_experts.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/base/shape_checks.h"
#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/linear_run.h"

namespace quire::cpu {
namespace {

/// A row's scores in double, each a share of 1 (softmax) or in (0, 1) by itself (sigmoid).
std::vector<double> scores_of(const float* logits, int64_t n, RouteParams::Scoring scoring) {
  std::vector<double> scores(logits, logits + n);
  if (scoring == RouteParams::Scoring::kSigmoid) {
    for (double& score : scores) score = 1.0 / (1.0 + std::exp(-score));
    return scores;
  }
  double maximum = -HUGE_VAL;
  for (const double score : scores) maximum = score > maximum ? score : maximum;
  double total = 0.0;
  for (double& score : scores) total += score = std::exp(score - maximum);
  for (double& score : scores) score /= total;
  return scores;
}

/// What experts are chosen by: scores plus bias, or where that is the same order the logits, which
/// no rounding makes equal. NaN (of a broken model) is ordered last.
std::vector<float> ranks_of(const float* logits, std::span<const double> scores,
                            const RouteParams& params) {
  const bool by_logit = params.bias.empty() && (params.num_groups == 1 ||
                                                params.group_rank == RouteParams::GroupRank::kBest);
  std::vector<float> ranks(logits, logits + scores.size());
  for (size_t e = 0; e < ranks.size(); ++e) {
    if (!by_logit) ranks[e] = static_cast<float>(scores[e]);
    if (!params.bias.empty()) ranks[e] += params.bias.as<float>()[e];
    if (std::isnan(ranks[e])) ranks[e] = -HUGE_VALF;
  }
  return ranks;
}

/// The indices of the `count` largest, in descending order, ties by lower index.
std::vector<int32_t> largest(std::span<const float> ranks, int64_t count) {
  std::vector<int32_t> order(ranks.size());
  std::iota(order.begin(), order.end(), 0);
  std::partial_sort(order.begin(), order.begin() + count, order.end(), [&](int32_t a, int32_t b) {
    const float x = ranks[static_cast<size_t>(a)], y = ranks[static_cast<size_t>(b)];
    return x != y ? x > y : a < b;
  });
  order.resize(static_cast<size_t>(count));
  return order;
}

/// The ranks of experts outside the best groups become minus infinity.
void keep_top_groups(std::vector<float>& ranks, const RouteParams& params) {
  if (params.top_groups >= params.num_groups) return;
  const size_t size = ranks.size() / static_cast<size_t>(params.num_groups);
  std::vector<float> groups;
  for (size_t begin = 0; begin < ranks.size(); begin += size) {
    const std::span<const float> group = std::span(ranks).subspan(begin, size);
    const bool by_two = params.group_rank == RouteParams::GroupRank::kTwoBest && size > 1;
    float sum = 0.0f;
    for (const int32_t e : largest(group, by_two ? 2 : 1)) sum += group[static_cast<size_t>(e)];
    groups.push_back(sum);
  }
  const std::vector<int32_t> kept = largest(groups, params.top_groups);
  for (size_t e = 0; e < ranks.size(); ++e) {
    const auto group = static_cast<int32_t>(e / size);
    if (std::ranges::count(kept, group) == 0) ranks[e] = -HUGE_VALF;
  }
}

void route_row(int32_t* ids, float* weights, const float* logits, int64_t n, int64_t k,
               const RouteParams& params) {
  const std::vector<double> scores = scores_of(logits, n, params.scoring);
  std::vector<float> ranks = ranks_of(logits, scores, params);
  keep_top_groups(ranks, params);
  const std::vector<int32_t> chosen = largest(ranks, k);
  double total = 0.0;
  for (const int32_t e : chosen) total += scores[static_cast<size_t>(e)];
  const double factor = params.renormalize ? params.scale / total : params.scale;
  for (size_t i = 0; i < chosen.size(); ++i) {
    ids[i] = chosen[i];
    const auto e = static_cast<size_t>(chosen[i]);
    weights[i] = static_cast<float>(scores[e] * factor);
    if (!params.expert_scales.empty()) weights[i] *= params.expert_scales.as<float>()[e];
  }
}

/// The rows of an expert are rows[begin, begin + count) (sort_by_expert).
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
    const int32_t e = expert_ids.row<int32_t>(row / k)[row % k];
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

/// The elements of `all` with these indices.
template <typename T>
std::vector<T> gather(std::span<const T> all, std::span<const int64_t> order) {
  std::vector<T> gathered;
  for (const int64_t i : order) gathered.push_back(all[static_cast<size_t>(i)]);
  return gathered;
}

/// A run for each expert; the activations are set by the caller. out: by expert.
std::vector<LinearRun> make_runs(std::span<const LinearWeight* const> experts,
                                 const ConstTensorView& biases, std::span<const ExpertRows> groups,
                                 float* const* out) {
  std::vector<LinearRun> runs;
  for (const ExpertRows& e : groups) {
    const auto expert = static_cast<int64_t>(e.expert);
    runs.push_back({.weight = &PackedLinear::of(*experts[e.expert]),
                    .bias = biases.empty() ? nullptr : biases.row<float>(expert),
                    .num_rows = e.count,
                    .out = out + e.begin});
  }
  return runs;
}

}  // namespace

void CpuBackend::route_experts(TensorView expert_ids, TensorView expert_weights,
                               ConstTensorView router_logits, const RouteParams& params) {
  const int64_t num_rows = expert_ids.dim(0);
  const int64_t k = expert_ids.dim(1);
  const int64_t n = router_logits.dim(1);
  CHECK(params.num_groups > 0 && n % params.num_groups == 0);
  CHECK(k > 0 && k <= n / params.num_groups * params.top_groups);
  CHECK(params.bias.empty() || have_shape({params.bias}, {n}));
  CHECK(params.expert_scales.empty() || have_shape({params.expert_scales}, {n}));
  CHECK(has_shape(expert_ids, DType::kI32, {num_rows, k}));
  CHECK(have_shape({expert_weights}, {num_rows, k}) && have_shape({router_logits}, {num_rows, n}));
  for_each_row(num_rows, 20 * n, [&](int64_t row) {
    route_row(expert_ids.row<int32_t>(row), expert_weights.row<float>(row),
              router_logits.row<float>(row), n, k, params);
  });
}

void CpuBackend::linear_experts(TensorView out, ConstTensorView x,
                                std::span<const LinearWeight* const> experts,
                                ConstTensorView biases, ConstTensorView expert_ids) {
  const int64_t k = expert_ids.dim(1);
  const int64_t num_rows = expert_ids.dim(0) * k;
  const int64_t num_outputs = out.dim(1);
  const int64_t num_inputs = x.dim(1);
  const int64_t rows_per_x = x.dim(0) == num_rows ? 1 : k;
  CHECK(!experts.empty() && has_shape(expert_ids, DType::kI32, {expert_ids.dim(0), k}));
  CHECK(have_shape({out}, {num_rows, num_outputs}));
  CHECK(have_shape({x}, {num_rows / rows_per_x, num_inputs}));
  const auto num_experts = static_cast<int64_t>(experts.size());
  CHECK(biases.empty() || have_shape({biases}, {num_experts, num_outputs}));
  const ActivationFormats formats = formats_for(experts, num_outputs, num_inputs);
  std::vector<int64_t> rows;
  const std::vector<ExpertRows> groups = sort_by_expert(expert_ids, experts.size(), rows);
  std::vector<float*> outputs;
  for (int64_t row : rows) outputs.push_back(out.row<float>(row));
  std::vector<const float*> inputs;
  for (int64_t row = 0; row < x.dim(0); ++row) inputs.push_back(x.row<float>(row));
  if (m_observer != nullptr) {
    const auto* const ids = expert_ids.as<int32_t>();
    for (int64_t i = 0; i < num_rows; ++i) {
      const auto expert = static_cast<size_t>(ids[i]);
      m_observer->multiplied(*experts[expert], inputs[static_cast<size_t>(i / rows_per_x)]);
    }
  }
  for (int64_t& row : rows) row /= rows_per_x;
  // Rows are grouped by expert, so that a weight is read once for all of its rows.
  std::vector<LinearRun> runs = make_runs(experts, biases, groups, outputs.data());
  run_grouped(runs, inputs, rows, num_inputs, formats);
}

void CpuBackend::run_grouped(std::span<LinearRun> runs, std::span<const float* const> inputs,
                             std::span<const int64_t> order, int64_t num_inputs,
                             const ActivationFormats& formats) {
  // Weights with orders of their own share no activations: one after another, so that the scratch
  // memory of one is enough.
  if (std::ranges::any_of(runs, [](const LinearRun& r) { return r.weight->input_order(); })) {
    size_t first = 0;
    for (const LinearRun& run : runs) {
      const auto rows = order.subspan(first, static_cast<size_t>(run.num_rows));
      run_rows(run, gather<const float*>(inputs, rows), formats);
      first += rows.size();
    }
    return;
  }
  std::vector<const Int8Chunk*> int8;
  std::vector<const uint16_t*> bf16;
  const float* f32 = nullptr;
  if (formats.int8)
    int8 = gather<const Int8Chunk*>(quantize_activations(inputs, num_inputs), order);
  if (formats.bf16) bf16 = gather<const uint16_t*>(convert_to_bf16(inputs, num_inputs), order);
  if (formats.f32) f32 = pack_activations(gather<const float*>(inputs, order), num_inputs);
  int64_t begin = 0;
  for (LinearRun& run : runs) {
    if (formats.int8) run.x_int8 = int8.data() + begin;
    if (formats.bf16) run.x_bf16 = bf16.data() + begin;
    if (formats.f32) {
      use_packed_activations(run, m_kernels, f32 + begin * kChunkInputs,
                             static_cast<int64_t>(order.size()));
    }
    run.quantized_chunk_stride = chunk_stride(static_cast<int64_t>(inputs.size()));
    begin += run.num_rows;
  }
  run_linear(runs);
}

void CpuBackend::linear_heads(TensorView out, ConstTensorView x,
                              std::span<const LinearWeight* const> heads) {
  const int64_t num_rows = out.dim(0);
  const auto num_heads = static_cast<int64_t>(heads.size());
  CHECK(num_heads > 0);
  const int64_t num_outputs = heads[0]->num_outputs(), num_inputs = heads[0]->num_inputs();
  const int64_t copied = x.dim(2) - num_inputs;
  CHECK(copied >= 0 && have_shape({x}, {num_rows, num_heads, copied + num_inputs}));
  CHECK(have_shape({out}, {num_rows, num_heads, copied + num_outputs}));
  const ActivationFormats formats = formats_for(heads, num_outputs, num_inputs);
  if (num_rows == 0) return;
  std::vector<const float*> inputs;
  std::vector<float*> outputs;
  std::vector<ExpertRows> groups;
  for (int64_t head = 0; head < num_heads; ++head) {
    groups.push_back({static_cast<size_t>(head), head * num_rows, num_rows});
    for (int64_t row = 0; row < num_rows; ++row) {
      const float* const from = x.row<float>(row) + head * x.dim(2);
      float* const to = out.row<float>(row) + head * out.dim(2);
      std::copy_n(from, copied, to);
      inputs.push_back(from + copied);
      outputs.push_back(to + copied);
    }
  }
  std::vector<int64_t> order(inputs.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<LinearRun> runs = make_runs(heads, {}, groups, outputs.data());
  run_grouped(runs, inputs, order, num_inputs, formats);
}

void CpuBackend::mix_experts(TensorView out, ConstTensorView x, ConstTensorView expert_weights) {
  const int64_t num_rows = out.dim(0);
  const int64_t n = out.dim(1);
  const bool has_weights = !expert_weights.empty();
  const int64_t k = has_weights ? expert_weights.dim(1) : x.dim(0) / std::max<int64_t>(1, num_rows);
  CHECK(have_shape({out}, {num_rows, n}) && have_shape({x}, {num_rows * k, n}));
  CHECK(!has_weights || have_shape({expert_weights}, {num_rows, k}));
  for_each_row(num_rows, n * k, [&](int64_t row) {
    float* const sum = out.row<float>(row);
    const float* const weights = has_weights ? expert_weights.row<float>(row) : nullptr;
    std::fill(sum, sum + n, 0.0f);
    for (int64_t j = 0; j < k; ++j) {
      const float* const part = x.row<float>(row * k + j);
      const float weight = has_weights ? weights[j] : 1.0f;
      for (int64_t i = 0; i < n; ++i) sum[i] += weight * part[i];
    }
  });
}

}  // namespace quire::cpu
