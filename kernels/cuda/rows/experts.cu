// route_experts and mix_experts.

#include "kernels/base/shape_checks.h"
#include "kernels/cuda/operations.h"
#include "kernels/cuda/rows/row_access.h"

namespace quire::cuda {
namespace {

struct RouteTask {
  int32_t* ids;
  int64_t id_stride;
  Rows weights;
  ConstRows logits;
  const float* bias;           ///< Or null.
  const float* expert_scales;  ///< Or null.
  int64_t num_rows;
  int num_experts;
  int num_chosen;
  RouteParams params;
};

/// An expert in the order of preference: larger logits first, equal logits by lower id.
struct RankedExpert {
  float rank;
  int id;
};

__device__ __forceinline__ bool is_preferred(RankedExpert a, RankedExpert b) {
  return a.rank != b.rank ? a.rank > b.rank : a.id < b.id;
}

/// NaN (of a broken model) is ordered last.
__device__ __forceinline__ float rank_of(float x) {
  return x != x ? -INFINITY : x;
}

/// The most preferred of `count` after `last`; the lanes of a warp search together.
__device__ __forceinline__ RankedExpert next_expert(const float* ranks, int count,
                                                    RankedExpert last) {
  RankedExpert best{-INFINITY, count};
  for (int e = lane_index(); e < count; e += kWarpSize) {
    const RankedExpert candidate{ranks[e], e};
    if (is_preferred(last, candidate) && is_preferred(candidate, best)) best = candidate;
  }
  for (int offset = kWarpSize / 2; offset > 0; offset /= 2) {
    const RankedExpert other{__shfl_xor_sync(kAllLanes, best.rank, offset),
                             __shfl_xor_sync(kAllLanes, best.id, offset)};
    if (is_preferred(other, best)) best = other;
  }
  return best;
}

__device__ __forceinline__ double warp_sum_of(double x) {
  for (int offset = kWarpSize / 2; offset > 0; offset /= 2)
    x += __shfl_xor_sync(kAllLanes, x, offset);
  return x;
}

/// What turns a logit of one row into its score.
struct Scoring {
  bool is_sigmoid;
  double maximum = 0.0;
  double total = 1.0;

  __device__ __forceinline__ double score(float logit) const {
    if (is_sigmoid) return 1.0 / (1.0 + exp(-double{logit}));
    return exp(double{logit} - maximum) / total;
  }
};

__device__ __forceinline__ Scoring scoring_of(const RouteTask& task, const float* logits) {
  Scoring scoring{task.params.scoring == RouteParams::Scoring::kSigmoid};
  if (scoring.is_sigmoid) return scoring;
  float maximum = -INFINITY;
  for (int e = lane_index(); e < task.num_experts; e += kWarpSize) {
    if (logits[e] > maximum) maximum = logits[e];
  }
  for (int offset = kWarpSize / 2; offset > 0; offset /= 2) {
    maximum = fmaxf(maximum, __shfl_xor_sync(kAllLanes, maximum, offset));
  }
  scoring.maximum = maximum;
  double total = 0.0;
  for (int e = lane_index(); e < task.num_experts; e += kWarpSize) {
    total += exp(double{logits[e]} - maximum);
  }
  scoring.total = warp_sum_of(total);
  return scoring;
}

/// The ranks of experts outside the best groups become minus infinity. groups: (num_groups) of
/// scratch memory.
__device__ __forceinline__ void keep_top_groups(const RouteTask& task, float* ranks,
                                                float* groups) {
  const int num_groups = task.params.num_groups;
  const int size = task.num_experts / num_groups;
  const bool by_two = task.params.group_rank == RouteParams::GroupRank::kTwoBest && size > 1;
  for (int g = lane_index(); g < num_groups; g += kWarpSize) {
    float best = -INFINITY;
    float second = -INFINITY;
    for (int e = g * size; e < (g + 1) * size; ++e) {
      if (ranks[e] > best) {
        second = best;
        best = ranks[e];
      } else if (ranks[e] > second) {
        second = ranks[e];
      }
    }
    groups[g] = by_two ? best + second : best;
  }
  __syncwarp();
  RankedExpert last{INFINITY, -1};
  for (int j = 0; j < task.params.top_groups; ++j) last = next_expert(groups, num_groups, last);
  for (int e = lane_index(); e < task.num_experts; e += kWarpSize) {
    // Kept are the groups up to the last one that was chosen.
    if (is_preferred(last, RankedExpert{groups[e / size], e / size})) ranks[e] = -INFINITY;
  }
  __syncwarp();
}

/// One warp for each row. Experts are chosen as on the CPU: by logits, which are not rounded, or by
/// scores in double rounded once; they differ only if the last bits of the exponentials in double
/// do, as the weights. Bound by latency. Shared memory: ranks and groups of each row.
__global__ void route_experts_kernel(RouteTask task) {
  const int64_t row = int64_t{blockIdx.x} * blockDim.y + threadIdx.y;
  if (row >= task.num_rows) return;
  const RouteParams& params = task.params;
  const float* const logits = task.logits.row(row);
  int32_t* const ids = task.ids + row * task.id_stride;
  float* const weights = task.weights.row(row);
  float* const ranks =
      dynamic_shared<float>() + threadIdx.y * (task.num_experts + params.num_groups);

  const Scoring scoring = scoring_of(task, logits);
  const float* const bias = task.bias;
  const bool by_logit = bias == nullptr && (params.num_groups == 1 ||
                                            params.group_rank == RouteParams::GroupRank::kBest);
  for (int e = lane_index(); e < task.num_experts; e += kWarpSize) {
    const float rank = by_logit ? logits[e] : static_cast<float>(scoring.score(logits[e]));
    ranks[e] = rank_of(bias == nullptr ? rank : rank + bias[e]);
  }
  __syncwarp();
  if (params.top_groups < params.num_groups) {
    keep_top_groups(task, ranks, ranks + task.num_experts);
  }
  double total = 0.0;
  RankedExpert last{INFINITY, -1};
  for (int j = 0; j < task.num_chosen; ++j) {
    last = next_expert(ranks, task.num_experts, last);
    total += scoring.score(logits[last.id]);
    if (lane_index() == 0) ids[j] = last.id;
  }
  __syncwarp();
  const double factor = params.renormalize ? params.scale / total : params.scale;
  for (int j = lane_index(); j < task.num_chosen; j += kWarpSize) {
    const auto weight = static_cast<float>(scoring.score(logits[ids[j]]) * factor);
    weights[j] = task.expert_scales == nullptr ? weight : weight * task.expert_scales[ids[j]];
  }
}

/// Gives the CPU's bits: each product and each sum is rounded, experts ascending.
struct MixOperation {
  Rows out;
  ConstRows x;
  ConstRows weights;
  int num_chosen;
  bool has_weights;

  __device__ __forceinline__ static void add_product(float& sum, float weight, float x) {
    sum = __fadd_rn(sum, __fmul_rn(weight, x));
  }

  template <bool kAligned>
  __device__ __forceinline__ void run(int64_t row, int64_t i, int64_t n) const {
    const float* const factors = has_weights ? weights.row(row) : nullptr;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int j = 0; j < num_chosen; ++j) {
      const float4 part = load_group<kAligned>(x.row(row * num_chosen + j), i, n);
      const float factor = has_weights ? __ldg(factors + j) : 1.0f;
      add_product(sum.x, factor, part.x);
      add_product(sum.y, factor, part.y);
      add_product(sum.z, factor, part.z);
      add_product(sum.w, factor, part.w);
    }
    store_group<kAligned>(out.row(row), i, n, sum);
  }
};

}  // namespace

void route_experts(CommandQueue& queue, TensorView expert_ids, TensorView expert_weights,
                   ConstTensorView router_logits, const RouteParams& params) {
  const int64_t num_rows = expert_ids.dim(0);
  const int64_t num_chosen = expert_ids.dim(1);
  const int64_t num_experts = router_logits.dim(1);
  CHECK(has_shape(expert_ids, DType::kI32, {num_rows, num_chosen}));
  CHECK(have_shape({expert_weights}, {num_rows, num_chosen}));
  CHECK(have_shape({router_logits}, {num_rows, num_experts}));
  CHECK(params.num_groups > 0 && num_experts % params.num_groups == 0 && num_experts <= 4096);
  CHECK(num_chosen >= 1 && num_chosen <= num_experts / params.num_groups * params.top_groups);
  CHECK(params.bias.empty() || have_shape({params.bias}, {num_experts}));
  const ConstTensorView& scales = params.expert_scales;
  CHECK(scales.empty() || have_shape({scales}, {num_experts}));
  const RouteTask task{.ids = expert_ids.as<int32_t>(),
                       .id_stride = expert_ids.row_stride(),
                       .weights = rows_of(expert_weights),
                       .logits = rows_of(router_logits),
                       .bias = params.bias.empty() ? nullptr : params.bias.as<float>(),
                       .expert_scales = scales.empty() ? nullptr : scales.as<float>(),
                       .num_rows = num_rows,
                       .num_experts = static_cast<int>(num_experts),
                       .num_chosen = static_cast<int>(num_chosen),
                       .params = params};
  constexpr unsigned kRowsPerBlock = 4;
  const auto floats = static_cast<size_t>(num_experts + params.num_groups);
  launch(queue, "route_experts", route_experts_kernel,
         {.grid = dim3(grid_size(num_rows, kRowsPerBlock)),
          .block = dim3(kWarpSize, kRowsPerBlock),
          .shared_bytes = kRowsPerBlock * floats * sizeof(float)},
         task);
}

void mix_experts(CommandQueue& queue, TensorView out, ConstTensorView x,
                 ConstTensorView expert_weights) {
  const int64_t num_rows = out.dim(0);
  const int64_t n = out.dim(1);
  const bool has_weights = !expert_weights.empty();
  const int64_t num_chosen =
      has_weights ? expert_weights.dim(1) : x.dim(0) / (num_rows > 0 ? num_rows : 1);
  CHECK(have_shape({out}, {num_rows, n}) && have_shape({x}, {num_rows * num_chosen, n}));
  CHECK(!has_weights || have_shape({expert_weights}, {num_rows, num_chosen}));
  const MixOperation operation{rows_of(out), rows_of(x),
                               has_weights ? rows_of(expert_weights) : ConstRows{},
                               static_cast<int>(num_chosen), has_weights};
  for_each_group(queue, "mix_experts", operation, num_rows, n, is_aligned(out) && is_aligned(x));
}

}  // namespace quire::cuda
