#include "kernels/cuda/linear/gemm_task.h"

#include <algorithm>

#include "kernels/cuda/launch.h"

namespace quire::cuda {
namespace {

constexpr int kWarps = 8;
constexpr int kThreads = kWarps * kWarpSize;

struct ExpertPointers {
  int first_expert;
  const uint8_t* data[kExpertsOfLaunch];
};

__device__ int expert_of(const ExpertRows& rows, int row) {
  const int token = row / rows.experts_of_token;
  return rows.expert_ids[token * rows.ids_stride + row % rows.experts_of_token];
}

/// The rows that a warp looks at: [begin, end), in steps of 32.
struct WarpRange {
  int begin;
  int end;
};
__device__ WarpRange warp_range(int num_rows) {
  const int steps = (num_rows + kThreads - 1) / kThreads;
  const int begin = warp_index() * steps * kWarpSize;
  return {min(begin, num_rows), min(begin + steps * kWarpSize, num_rows)};
}

/// A block's view of all experts, in shared memory.
struct Counts {
  int rows_before;      ///< Rows of experts below the block's.
  int tiles_before;     ///< Their tiles.
  int tiles;            ///< Of all experts.
  int of_warp[kWarps];  ///< The block's expert's rows in each warp's range.
};

/// of_expert: (E), in shared memory.
__device__ void count_rows(Counts& counts, int* of_expert, const ExpertRows& rows, int expert) {
  for (int e = static_cast<int>(threadIdx.x); e < rows.num_experts; e += kThreads) of_expert[e] = 0;
  if (threadIdx.x == 0) counts.rows_before = counts.tiles_before = counts.tiles = 0;
  __syncthreads();
  const WarpRange range = warp_range(rows.num_rows);
  int own = 0;
  for (int row = range.begin + lane_index(); row - lane_index() < range.end; row += kWarpSize) {
    const int id = row < range.end ? expert_of(rows, row) : -1;
    // Ids out of range are the caller's mistake; they must not write elsewhere.
    if (id >= 0 && id < rows.num_experts) atomicAdd(of_expert + id, 1);
    own += __popc(__ballot_sync(kAllLanes, id == expert));
  }
  if (lane_index() == 0) counts.of_warp[warp_index()] = own;
  __syncthreads();
  for (int e = static_cast<int>(threadIdx.x); e < rows.num_experts; e += kThreads) {
    const int tiles = (of_expert[e] + rows.tile_rows - 1) / rows.tile_rows;
    atomicAdd(&counts.tiles, tiles);
    if (e >= expert) continue;
    atomicAdd(&counts.rows_before, of_expert[e]);
    atomicAdd(&counts.tiles_before, tiles);
  }
  __syncthreads();
}

/// Grid: the launch's experts. Each block counts all rows (integers: in any order) and places its
/// expert's; bound by the latency of reading the ids, twice.
__global__ void __launch_bounds__(kThreads)
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
  for (int first = thread * rows.tile_rows; first < count; first += kThreads * rows.tile_rows) {
    tiles[counts.tiles_before + first / rows.tile_rows] = {pointers.data[blockIdx.x], bias,
                                                           counts.rows_before + first,
                                                           min(rows.tile_rows, count - first)};
  }
  if (expert != rows.num_experts - 1) return;
  for (int tile = counts.tiles + thread; tile < rows.max_tiles; tile += kThreads) {
    tiles[tile] = {nullptr, nullptr, 0, 0};
  }
}

}  // namespace

void group_experts(CommandQueue& queue, const char* operation, RowTile* tiles, int32_t* row_ids,
                   const ExpertRows& rows, const uint8_t* const* data) {
  static_assert(sizeof(ExpertPointers) + sizeof(ExpertRows) + 64 <= 4096);
  for (int first = 0; first < rows.num_experts; first += kExpertsOfLaunch) {
    const int count = std::min(kExpertsOfLaunch, rows.num_experts - first);
    ExpertPointers pointers = {};
    pointers.first_expert = first;
    std::copy_n(data + first, count, pointers.data);
    launch(queue, operation, group_experts_kernel,
           {.grid = {static_cast<unsigned>(count)},
            .block = {kThreads},
            .shared_bytes = static_cast<size_t>(rows.num_experts) * sizeof(int)},
           tiles, row_ids, rows, pointers);
  }
}

}  // namespace quire::cuda
