#include <algorithm>
#include <optional>
#include <vector>

#include "kernels/base/quantized_activations.h"
#include "kernels/base/shape_checks.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/linear/expert_rows.h"
#include "kernels/cuda/linear/gemm_task.h"
#include "kernels/cuda/operations.h"
#include "kernels/cuda/weights/packed_weight.h"

namespace quire::cuda {
namespace {

constexpr const char* kExpertsOperation = "linear_experts";

/// The most row tiles that num_rows rows need: each expert with rows may have a partial one.
int max_expert_tiles(int64_t num_rows, int64_t num_experts, int tile_rows) {
  const int64_t experts = num_rows < num_experts ? num_rows : num_experts;
  return static_cast<int>(num_rows / tile_rows + experts);
}

constexpr int kExpertWarps = 8;
constexpr int kExpertThreads = kExpertWarps * kWarpSize;

struct ExpertPointers {
  int first_expert;
  const uint8_t* data[kExpertsOfLaunch];
};

/// The rows [begin, end) that a warp reads, 32 at a time.
struct WarpRange {
  int begin;
  int end;
};
__device__ WarpRange warp_range(int num_rows) {
  const int steps = (num_rows + kExpertThreads - 1) / kExpertThreads;
  const int begin = warp_index() * steps * kWarpSize;
  return {min(begin, num_rows), min(begin + steps * kWarpSize, num_rows)};
}

/// Counts for the expert of a block, in shared memory.
struct Counts {
  int rows_before;            ///< The rows of all preceding experts.
  int tiles_before;           ///< The tiles of all preceding experts.
  int tiles;                  ///< The tiles of all experts.
  int of_warp[kExpertWarps];  ///< The expert's rows in each warp's range.
};

/// of_expert: (E), in shared memory.
__device__ void count_rows(Counts& counts, int* of_expert, const ExpertRows& rows, int expert) {
  for (int e = static_cast<int>(threadIdx.x); e < rows.num_experts; e += kExpertThreads)
    of_expert[e] = 0;
  if (threadIdx.x == 0) counts.rows_before = counts.tiles_before = counts.tiles = 0;
  __syncthreads();
  const WarpRange range = warp_range(rows.num_rows);
  int own = 0;
  for (int row = range.begin + lane_index(); row - lane_index() < range.end; row += kWarpSize) {
    const int id = row < range.end ? expert_of(rows, row) : -1;
    // Ids out of range are the caller's mistake; they must not cause writes out of bounds.
    if (id >= 0 && id < rows.num_experts) atomicAdd(of_expert + id, 1);
    own += __popc(__ballot_sync(kAllLanes, id == expert));
  }
  if (lane_index() == 0) counts.of_warp[warp_index()] = own;
  __syncthreads();
  for (int e = static_cast<int>(threadIdx.x); e < rows.num_experts; e += kExpertThreads) {
    const int tiles = (of_expert[e] + rows.tile_rows - 1) / rows.tile_rows;
    atomicAdd(&counts.tiles, tiles);
    if (e >= expert) continue;
    atomicAdd(&counts.rows_before, of_expert[e]);
    atomicAdd(&counts.tiles_before, tiles);
  }
  __syncthreads();
}

/// Grid: the launch's experts. Each block counts all rows and writes the places of its expert's
/// rows; bound by the latency of reading the ids twice.
__global__ void __launch_bounds__(kExpertThreads)
    group_experts_kernel(RowTile* tiles, int32_t* row_ids, const ExpertRows rows,
                         const __grid_constant__ ExpertPointers pointers) {
  __shared__ Counts counts;
  const auto thread = static_cast<int>(threadIdx.x);
  const int expert = pointers.first_expert + static_cast<int>(blockIdx.x);
  int* const of_expert = dynamic_shared<int>();
  count_rows(counts, of_expert, rows, expert);

  int place = counts.rows_before;
  for (int warp = 0; warp < warp_index(); ++warp) place += counts.of_warp[warp];
  const WarpRange range = warp_range(rows.num_rows);
  for (int row = range.begin + lane_index(); row - lane_index() < range.end; row += kWarpSize) {
    const bool is_own = row < range.end && expert_of(rows, row) == expert;
    const unsigned own = __ballot_sync(kAllLanes, is_own);
    if (is_own) row_ids[place + __popc(own & ((1u << lane_index()) - 1u))] = row;
    place += __popc(own);
  }

  const int count = of_expert[expert];
  const float* const bias =
      rows.biases == nullptr ? nullptr : rows.biases + expert * rows.biases_stride;
  for (int first = thread * rows.tile_rows; first < count;
       first += kExpertThreads * rows.tile_rows) {
    tiles[counts.tiles_before + first / rows.tile_rows] = {pointers.data[blockIdx.x], bias,
                                                           counts.rows_before + first,
                                                           min(rows.tile_rows, count - first)};
  }
  if (expert != rows.num_experts - 1) return;
  for (int tile = counts.tiles + thread; tile < rows.max_tiles; tile += kExpertThreads) {
    tiles[tile] = {nullptr, nullptr, 0, 0};
  }
}

/// Sorts the rows by expert, ascending within an expert, into row_ids (T k), and cuts them into
/// tiles (max_tiles) in the experts' order; unused tiles have no data. data: (E) device pointers in
/// host memory, null for an expert without such a segment, whose rows are not computed.
void group_experts(CommandQueue& queue, RowTile* tiles, int32_t* row_ids, const ExpertRows& rows,
                   const uint8_t* const* data) {
  static_assert(sizeof(ExpertPointers) + sizeof(ExpertRows) + 64 <= 4096);
  for (int first = 0; first < rows.num_experts; first += kExpertsOfLaunch) {
    const int count = std::min(kExpertsOfLaunch, rows.num_experts - first);
    ExpertPointers pointers = {};
    pointers.first_expert = first;
    std::copy_n(data + first, count, pointers.data);
    launch(queue, kExpertsOperation, group_experts_kernel,
           {.grid = {static_cast<unsigned>(count)},
            .block = {kExpertThreads},
            .shared_bytes = static_cast<size_t>(rows.num_experts) * sizeof(int)},
           tiles, row_ids, rows, pointers);
  }
}

/// The same outputs of several experts in one dtype, which one launch can compute.
struct ExpertSegments {
  LinearSegment segment;             ///< Of the first expert; others differ only in data.
  std::vector<const uint8_t*> data;  ///< (E); null for an expert that has no such segment.

  bool takes(const LinearSegment& other, size_t expert) const {
    return data[expert] == nullptr && segment.dtype == other.dtype &&
           segment.first_output == other.first_output && segment.num_outputs == other.num_outputs;
  }
};

/// Groups the experts' segments. Usually all experts have the same ones, so there are as many
/// groups as an expert has segments.
std::vector<ExpertSegments> sort_segments(std::span<const LinearWeight* const> experts) {
  std::vector<ExpertSegments> sorted;
  for (size_t e = 0; e < experts.size(); ++e) {
    for (const LinearSegment& segment : static_cast<const PackedWeight*>(experts[e])->segments()) {
      auto found = std::find_if(sorted.begin(), sorted.end(),
                                [&](const ExpertSegments& s) { return s.takes(segment, e); });
      if (found == sorted.end()) {
        sorted.push_back({segment, std::vector<const uint8_t*>(experts.size())});
        found = sorted.end() - 1;
      }
      found->data[e] = segment.data;
    }
  }
  return sorted;
}

/// The tensors of one call.
struct ExpertCall {
  TensorView out;
  ConstTensorView x;
  ConstTensorView biases;
  ConstTensorView expert_ids;  ///< Empty: row i is of expert i % num_experts.
  int64_t num_experts;

  int64_t experts_of_token() const { return expert_ids.empty() ? num_experts : expert_ids.dim(1); }
  int64_t num_rows() const { return out.dim(0); }
};

/// The buffers of a call in the workspace.
struct ExpertWorkspace {
  float* ordered;  ///< (T k, K), only if an expert has an order of its inputs.
  uint4* quantized;
  RowTile* tiles;
  int32_t* row_ids;

  static std::optional<ExpertWorkspace> allocate(CommandQueue& queue, const ExpertCall& call,
                                                 bool has_orders) {
    const int64_t num_x = has_orders ? call.num_rows() : call.x.dim(0);
    const size_t ordered_bytes = has_orders ? ordered_activation_bytes(num_x, call.x.dim(1)) : 0;
    const size_t quantized_bytes = quantized_activation_bytes(num_x, call.x.dim(1));
    const size_t tile_bytes =
        static_cast<size_t>(max_expert_tiles(call.num_rows(), call.num_experts, 8)) *
        sizeof(RowTile);
    const size_t id_bytes = static_cast<size_t>(call.num_rows()) * sizeof(int32_t);
    auto* memory = static_cast<uint8_t*>(
        queue.workspace(ordered_bytes + quantized_bytes + tile_bytes + id_bytes));
    if (memory == nullptr) return std::nullopt;
    auto* const ordered = reinterpret_cast<float*>(memory);
    memory += ordered_bytes;
    return ExpertWorkspace{ordered, reinterpret_cast<uint4*>(memory),
                           reinterpret_cast<RowTile*>(memory + quantized_bytes),
                           reinterpret_cast<int32_t*>(memory + quantized_bytes + tile_bytes)};
  }
};

/// The call's rows, without tiles and biases.
ExpertRows rows_of(const ExpertCall& call) {
  return {.expert_ids = call.expert_ids.empty() ? nullptr : call.expert_ids.as<int32_t>(),
          .ids_stride = call.expert_ids.row_stride(),
          .experts_of_token = static_cast<int>(call.experts_of_token()),
          .num_rows = static_cast<int>(call.num_rows()),
          .num_experts = static_cast<int>(call.num_experts)};
}

/// Groups the rows for tiles of the shape, and submits the GEMM.
void run_experts(CommandQueue& queue, const ExpertCall& call, const ExpertSegments& segments,
                 const ExpertWorkspace& workspace, GemmShape shape) {
  const int64_t column = segments.segment.first_output;
  ExpertRows rows = rows_of(call);
  rows.tile_rows = rows_of_tile(shape);
  rows.max_tiles = max_expert_tiles(call.num_rows(), call.num_experts, rows.tile_rows);
  rows.biases = call.biases.empty() ? nullptr : call.biases.as<float>() + column;
  rows.biases_stride = call.biases.empty() ? 0 : call.biases.row_stride();
  group_experts(queue, workspace.tiles, workspace.row_ids, rows, segments.data.data());

  GemmTask gemm = segment_gemm(segments.segment, call.x.dim(1));
  gemm.quantized = workspace.quantized;
  set_inputs(gemm, call.x);
  gemm.out = call.out.as<float>() + column;
  gemm.out_stride = call.out.row_stride();
  gemm.num_rows = rows.num_rows;
  gemm.tiles = workspace.tiles;
  gemm.num_tiles = rows.max_tiles;
  gemm.row_ids = workspace.row_ids;
  gemm.rows_per_x = static_cast<int>(call.num_rows() / call.x.dim(0));
  run_segment(queue, kExpertsOperation, segments.segment.dtype, gemm, shape);
}

void check_call(const CommandQueue& queue, const ExpertCall& call,
                std::span<const LinearWeight* const> experts) {
  CHECK(!experts.empty());
  const int64_t k = call.experts_of_token();
  const int64_t num_rows = call.num_rows(), num_tokens = num_rows / k;
  CHECK(num_rows == num_tokens * k);
  CHECK(call.expert_ids.empty() || has_shape(call.expert_ids, DType::kI32, {num_tokens, k}));
  const int64_t num_outputs = call.out.dim(1);
  const int64_t num_inputs = call.x.dim(1);
  CHECK(have_shape({call.out}, {num_rows, num_outputs}));
  CHECK(call.x.dim(0) == num_tokens || call.x.dim(0) == num_rows);
  CHECK(has_shape(call.x, call.x.dtype(), {call.x.dim(0), num_inputs}));
  CHECK(call.x.dtype() == DType::kF32 || is_quantized_activations(call.x));
  CHECK(call.biases.empty() || have_shape({call.biases}, {call.num_experts, num_outputs}));
  for (const LinearWeight* expert : experts) {
    CHECK(dynamic_cast<const PackedWeight*>(expert) != nullptr);
    CHECK(call.x.dtype() == DType::kF32 || call.x.dtype() == input_dtype(queue, *expert));
    CHECK(expert->num_outputs() == num_outputs && expert->num_inputs() == num_inputs);
  }
}

/// out = x, rows of n numbers. One thread for each number; bound by memory.
__global__ void __launch_bounds__(kExpertThreads)
    copy_rows_kernel(float* out, int64_t out_stride, const float* x, int64_t x_stride,
                     int64_t count, int n) {
  const int64_t index = int64_t{blockIdx.x} * kExpertThreads + threadIdx.x;
  if (index >= count) return;
  out[index / n * out_stride + index % n] = __ldg(x + index / n * x_stride + index % n);
}

void copy_rows(CommandQueue& queue, TensorView out, ConstTensorView x) {
  const int64_t count = out.dim(0) * out.dim(1);
  launch(queue, "linear_heads", copy_rows_kernel,
         {.grid = {grid_size(count, kExpertThreads)}, .block = {kExpertThreads}}, out.as<float>(),
         out.row_stride(), x.as<float>(), x.row_stride(), count, static_cast<int>(out.dim(1)));
}

void run_call(CommandQueue& queue, ExpertCall call, std::span<const LinearWeight* const> experts) {
  check_call(queue, call, experts);
  if (call.num_rows() == 0) return;
  const bool has_orders = any_has_order(experts), has_scales = any_has_scales(experts);
  const ConstTensorView late_biases = call.biases;
  if (has_scales) call.biases = {};
  const auto workspace = ExpertWorkspace::allocate(queue, call, has_orders);
  if (!workspace) return;
  if (has_orders) {
    call.x = order_expert_inputs(queue, kExpertsOperation, workspace->ordered, call.x,
                                 rows_of(call), experts);
  }
  const ConstTensorView& x = call.x;
  // The mean; an expert with more rows has several tiles.
  const int64_t rows_of_each = (call.num_rows() + call.num_experts - 1) / call.num_experts;
  DType quantized_to = DType::kF32;
  for (const ExpertSegments& segments : sort_segments(experts)) {
    const LinearSegment& segment = segments.segment;
    const DType dtype = input_dtype(segment.dtype, queue.facts());
    const GemmShape shape =
        dtype != DType::kF32
            ? choose_shape(queue.facts(), rows_of_each, call.num_experts, segment.num_outputs)
            : choose_float_shape(rows_of_each);
    if (is_to_be_quantized(x, dtype, shape) && quantized_to != dtype) {
      quantize_activations(queue, kExpertsOperation, workspace->quantized, x, dtype);
      quantized_to = dtype;
    }
    run_experts(queue, call, segments, *workspace, shape);
  }
  if (has_scales) {
    scale_expert_outputs(queue, kExpertsOperation, call.out, rows_of(call), experts, late_biases);
  }
}

}  // namespace

void linear_experts(CommandQueue& queue, TensorView out, ConstTensorView x,
                    std::span<const LinearWeight* const> experts, ConstTensorView biases,
                    ConstTensorView expert_ids) {
  CHECK(!expert_ids.empty() || out.dim(0) == 0);
  run_call(queue, {out, x, biases, expert_ids, static_cast<int64_t>(experts.size())}, experts);
}

void linear_heads(CommandQueue& queue, TensorView out, ConstTensorView x,
                  std::span<const LinearWeight* const> heads) {
  const auto num_heads = static_cast<int64_t>(heads.size());
  CHECK(num_heads > 0);
  const int64_t num_outputs = heads[0]->num_outputs(), num_inputs = heads[0]->num_inputs();
  const int64_t num_rows = x.dim(0) * num_heads, copied = x.dim(2) - num_inputs;
  CHECK(copied >= 0 && have_shape({x}, {x.dim(0), num_heads, copied + num_inputs}));
  CHECK(have_shape({out}, {x.dim(0), num_heads, copied + num_outputs}));
  CHECK(x.row_stride() == num_heads * x.dim(2) && out.row_stride() == num_heads * out.dim(2));
  if (num_rows == 0) return;
  const TensorView to(out.data(), DType::kF32, {num_rows, out.dim(2)});
  const ConstTensorView from(x.data(), DType::kF32, {num_rows, x.dim(2)});
  if (copied > 0) copy_rows(queue, to.columns(0, copied), from.columns(0, copied));
  const ExpertCall call = {
      to.columns(copied, num_outputs), from.columns(copied, num_inputs), {}, {}, num_heads};
  run_call(queue, call, heads);
}

}  // namespace quire::cuda
