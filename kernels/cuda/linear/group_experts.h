#pragma once

#include "kernels/cuda/linear/product.h"

namespace quire::cuda {

/// Experts whose weights one launch may name: their pointers are the kernel's parameters, which
/// are 4 KB at most, so that nothing is uploaded or kept (a captured step replays them).
inline constexpr int kExpertsOfLaunch = 256;

/// Which rows meet which expert, on the device.
struct ExpertRows {
  const int32_t* expert_ids;  ///< (T, k)
  int64_t ids_stride;
  int experts_of_token;  ///< k
  int num_rows;          ///< T k
  int num_experts;
  int tile_rows;
  int max_tiles;        ///< At least as many as there can be: max_expert_tiles.
  const float* biases;  ///< The segment's columns of (E, N), or null.
  int64_t biases_stride;
};

/// Row tiles that num_rows rows may need: a partial one for each expert that has any.
inline int max_expert_tiles(int64_t num_rows, int64_t num_experts, int tile_rows) {
  const int64_t experts = num_rows < num_experts ? num_rows : num_experts;
  return static_cast<int>(num_rows / tile_rows + experts);
}

/// Sorts the rows by expert, in each by their number: row_ids (T k), and cuts them into
/// tiles (max_tiles), in the experts' order; tiles that are not needed have no data. data: (E)
/// device pointers in host memory, null for an expert without such a segment, whose rows are left.
void group_experts(CommandQueue& queue, const char* operation, RowTile* tiles, int32_t* row_ids,
                   const ExpertRows& rows, const uint8_t* const* data);

}  // namespace quire::cuda
