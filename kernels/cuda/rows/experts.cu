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
  int64_t num_rows;
  int num_experts;
  int num_chosen;
  bool renormalize;
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
__device__ __forceinline__ float rank_of(float logit) {
  return logit != logit ? -INFINITY : logit;
}

/// The most preferred expert of a row after `last`; the lanes of a warp search together.
__device__ __forceinline__ RankedExpert next_expert(const float* logits, int num_experts,
                                                    RankedExpert last) {
  RankedExpert best{-INFINITY, num_experts};
  for (int e = lane_index(); e < num_experts; e += kWarpSize) {
    const RankedExpert candidate{rank_of(logits[e]), e};
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

/// One warp for each row. The chosen experts are the CPU's, because logits are compared without
/// rounding; weights are computed in double as on the CPU and rounded once, so they differ only if
/// the last bits of the exponentials in double do. Bound by latency.
__global__ void route_experts_kernel(RouteTask task) {
  const int64_t row = int64_t{blockIdx.x} * blockDim.y + threadIdx.y;
  if (row >= task.num_rows) return;
  const float* const logits = task.logits.row(row);
  int32_t* const ids = task.ids + row * task.id_stride;
  float* const weights = task.weights.row(row);

  float maximum = 0.0f;
  double total = 0.0;
  RankedExpert last{INFINITY, -1};
  for (int j = 0; j < task.num_chosen; ++j) {
    last = next_expert(logits, task.num_experts, last);
    const float logit = logits[last.id];
    if (j == 0) maximum = logit;
    if (task.renormalize) total += exp(double{logit} - maximum);
    if (lane_index() == 0) ids[j] = last.id;
  }
  if (!task.renormalize) {
    for (int e = lane_index(); e < task.num_experts; e += kWarpSize) {
      total += exp(double{logits[e]} - maximum);
    }
    total = warp_sum_of(total);
  }
  __syncwarp();
  for (int j = lane_index(); j < task.num_chosen; j += kWarpSize) {
    weights[j] = static_cast<float>(exp(double{logits[ids[j]]} - maximum) / total);
  }
}

/// Gives the CPU's bits: each product and each sum is rounded, experts ascending.
struct MixOperation {
  Rows out;
  ConstRows x;
  ConstRows weights;
  int num_chosen;

  __device__ __forceinline__ static void add_product(float& sum, float weight, float x) {
    sum = __fadd_rn(sum, __fmul_rn(weight, x));
  }

  template <bool kAligned>
  __device__ __forceinline__ void run(int64_t row, int64_t i, int64_t n) const {
    const float* const factors = weights.row(row);
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int j = 0; j < num_chosen; ++j) {
      const float4 part = load_group<kAligned>(x.row(row * num_chosen + j), i, n);
      const float factor = __ldg(factors + j);
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
                   ConstTensorView router_logits, bool renormalize) {
  const int64_t num_rows = expert_ids.dim(0);
  const int64_t num_chosen = expert_ids.dim(1);
  const int64_t num_experts = router_logits.dim(1);
  CHECK(has_shape(expert_ids, DType::kI32, {num_rows, num_chosen}));
  CHECK(have_shape({expert_weights}, {num_rows, num_chosen}));
  CHECK(have_shape({router_logits}, {num_rows, num_experts}));
  CHECK(num_chosen >= 1 && num_chosen <= num_experts && num_experts < (int64_t{1} << 30));
  const RouteTask task{.ids = expert_ids.as<int32_t>(),
                       .id_stride = expert_ids.row_stride(),
                       .weights = rows_of(expert_weights),
                       .logits = rows_of(router_logits),
                       .num_rows = num_rows,
                       .num_experts = static_cast<int>(num_experts),
                       .num_chosen = static_cast<int>(num_chosen),
                       .renormalize = renormalize};
  constexpr unsigned kRowsPerBlock = 4;
  launch(
      queue, "route_experts", route_experts_kernel,
      {.grid = dim3(grid_size(num_rows, kRowsPerBlock)), .block = dim3(kWarpSize, kRowsPerBlock)},
      task);
}

void mix_experts(CommandQueue& queue, TensorView out, ConstTensorView x,
                 ConstTensorView expert_weights) {
  const int64_t num_rows = out.dim(0);
  const int64_t n = out.dim(1);
  const int64_t num_chosen = expert_weights.dim(1);
  CHECK(have_shape({out}, {num_rows, n}) && have_shape({x}, {num_rows * num_chosen, n}));
  CHECK(have_shape({expert_weights}, {num_rows, num_chosen}));
  const MixOperation operation{rows_of(out), rows_of(x), rows_of(expert_weights),
                               static_cast<int>(num_chosen)};
  for_each_group(queue, "mix_experts", operation, num_rows, n, is_aligned(out) && is_aligned(x));
}

}  // namespace quire::cuda
