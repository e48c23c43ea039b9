#include <algorithm>
#include <optional>
#include <vector>

#include "kernels/base/shape_checks.h"
#include "kernels/cuda/linear/gemm_task.h"
#include "kernels/cuda/linear/segment_gemm.h"
#include "kernels/cuda/operations.h"
#include "kernels/cuda/weights/packed_weight.h"

namespace quire::cuda {
namespace {

constexpr const char* kOperation = "linear_experts";

/// The same outputs of several experts in one dtype: what one launch can compute.
struct ExpertSegments {
  LinearSegment segment;             ///< Of the first of them; the others differ in data alone.
  std::vector<const uint8_t*> data;  ///< (E); null for an expert that has no such segment.

  bool takes(const LinearSegment& other, size_t expert) const {
    return data[expert] == nullptr && segment.dtype == other.dtype &&
           segment.first_output == other.first_output && segment.num_outputs == other.num_outputs;
  }
};

/// Usually one, or as many as an expert has segments: experts differ in nothing but their numbers.
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
  ConstTensorView expert_ids;
  int64_t num_experts;

  int64_t num_rows() const { return out.dim(0); }
};

/// Where a call's parts are in the workspace.
struct ExpertWorkspace {
  uint4* halves;
  RowTile* tiles;
  int32_t* row_ids;

  static std::optional<ExpertWorkspace> allocate(CommandQueue& queue, const ExpertCall& call) {
    const size_t half_bytes = half_activation_bytes(call.x.dim(0), call.x.dim(1));
    const size_t tile_bytes =
        static_cast<size_t>(max_expert_tiles(call.num_rows(), call.num_experts, 8)) *
        sizeof(RowTile);
    const size_t id_bytes = static_cast<size_t>(call.num_rows()) * sizeof(int32_t);
    auto* const memory = static_cast<uint8_t*>(queue.workspace(half_bytes + tile_bytes + id_bytes));
    if (memory == nullptr) return std::nullopt;
    return ExpertWorkspace{reinterpret_cast<uint4*>(memory),
                           reinterpret_cast<RowTile*>(memory + half_bytes),
                           reinterpret_cast<int32_t*>(memory + half_bytes + tile_bytes)};
  }
};

/// Groups the rows for tiles of the shape, and submits the gemm.
void run_experts(CommandQueue& queue, const ExpertCall& call, const ExpertSegments& segments,
                 const ExpertWorkspace& workspace, GemmShape shape) {
  const int64_t column = segments.segment.first_output;
  const ExpertRows rows = {
      .expert_ids = call.expert_ids.as<int32_t>(),
      .ids_stride = call.expert_ids.row_stride(),
      .experts_of_token = static_cast<int>(call.expert_ids.dim(1)),
      .num_rows = static_cast<int>(call.num_rows()),
      .num_experts = static_cast<int>(call.num_experts),
      .tile_rows = rows_of_tile(shape),
      .max_tiles = max_expert_tiles(call.num_rows(), call.num_experts, rows_of_tile(shape)),
      .biases = call.biases.empty() ? nullptr : call.biases.as<float>() + column,
      .biases_stride = call.biases.empty() ? 0 : call.biases.row_stride()};
  group_experts(queue, kOperation, workspace.tiles, workspace.row_ids, rows, segments.data.data());

  GemmTask gemm = segment_gemm(segments.segment, call.x.dim(1));
  gemm.x = call.x.as<float>();
  gemm.x_stride = call.x.row_stride();
  gemm.halves = workspace.halves;
  gemm.out = call.out.as<float>() + column;
  gemm.out_stride = call.out.row_stride();
  gemm.num_rows = rows.num_rows;
  gemm.tiles = workspace.tiles;
  gemm.num_tiles = rows.max_tiles;
  gemm.row_ids = workspace.row_ids;
  gemm.rows_per_x = static_cast<int>(call.num_rows() / call.x.dim(0));
  run_segment(queue, kOperation, segments.segment.dtype, gemm, shape);
}

void check_call(const ExpertCall& call, std::span<const LinearWeight* const> experts) {
  CHECK(!experts.empty());
  const int64_t num_tokens = call.expert_ids.dim(0);
  const int64_t num_rows = num_tokens * call.expert_ids.dim(1);
  CHECK(has_shape(call.expert_ids, DType::kI32, {num_tokens, call.expert_ids.dim(1)}));
  const int64_t num_outputs = call.out.dim(1);
  const int64_t num_inputs = call.x.dim(1);
  CHECK(have_shape({call.out}, {num_rows, num_outputs}));
  CHECK(call.x.dim(0) == num_tokens || call.x.dim(0) == num_rows);
  CHECK(have_shape({call.x}, {call.x.dim(0), num_inputs}));
  CHECK(call.biases.empty() || have_shape({call.biases}, {call.num_experts, num_outputs}));
  for (const LinearWeight* expert : experts) {
    CHECK(dynamic_cast<const PackedWeight*>(expert) != nullptr);
    CHECK(expert->num_outputs() == num_outputs && expert->num_inputs() == num_inputs);
  }
}

}  // namespace

void linear_experts(CommandQueue& queue, TensorView out, ConstTensorView x,
                    std::span<const LinearWeight* const> experts, ConstTensorView biases,
                    ConstTensorView expert_ids) {
  const ExpertCall call = {out, x, biases, expert_ids, static_cast<int64_t>(experts.size())};
  check_call(call, experts);
  if (call.num_rows() == 0) return;
  const std::optional<ExpertWorkspace> workspace = ExpertWorkspace::allocate(queue, call);
  if (!workspace) return;
  // If the rows are spread evenly; where they are not, an expert has several tiles.
  const int64_t rows_of_each = (call.num_rows() + call.num_experts - 1) / call.num_experts;
  std::optional<Half> converted_to;
  for (const ExpertSegments& segments : sort_segments(experts)) {
    const LinearSegment& segment = segments.segment;
    const std::optional<Half> half = half_of(segment.dtype, queue.facts().has_bf16_mma);
    const GemmShape shape =
        half ? choose_shape(queue.facts(), rows_of_each, call.num_experts, segment.num_outputs)
             : choose_float_shape(rows_of_each);
    if (half && needs_halves(shape) && converted_to != half) {
      convert_activations(queue, kOperation, workspace->halves, x.as<float>(), x.row_stride(),
                          x.dim(0), x.dim(1), *half);
      converted_to = half;
    }
    run_experts(queue, call, segments, *workspace, shape);
  }
}

}  // namespace quire::cuda
