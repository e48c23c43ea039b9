#pragma once

#include <span>

#include "kernels/cuda/linear/gemm_task.h"

/// The rows of linear_experts, and what weights with an order of their inputs or factors of their
/// outputs need before and after the GEMMs (packed_weight.h).
namespace quire::cuda {

/// The assignment of rows to experts, on the device.
struct ExpertRows {
  const int32_t* expert_ids;  ///< (T, k), or null: row i is of expert i % k.
  int64_t ids_stride;
  int experts_of_token;  ///< k
  int num_rows;          ///< T k
  int num_experts;
  int tile_rows;
  int max_tiles;        ///< max_expert_tiles()
  const float* biases;  ///< The segment's columns of (E, N), or null.
  int64_t biases_stride;
};

__device__ inline int expert_of(const ExpertRows& rows, int row) {
  if (rows.expert_ids == nullptr) return row % rows.experts_of_token;
  const int token = row / rows.experts_of_token;
  return rows.expert_ids[token * rows.ids_stride + row % rows.experts_of_token];
}

bool any_has_order(std::span<const LinearWeight* const> experts);
bool any_has_scales(std::span<const LinearWeight* const> experts);

/// Submits kernels that write ordered, (T k, K) f32 dense: the inputs of every row of out, of which
/// x (T, K) or (T k, K) holds one for each token or row, in the order of its expert's columns.
ConstTensorView order_expert_inputs(CommandQueue& queue, const char* operation, float* ordered,
                                    ConstTensorView x, const ExpertRows& rows,
                                    std::span<const LinearWeight* const> experts);

/// Submits kernels that multiply each row of out (T k, N) by its expert's factors and then add its
/// expert's biases, (E, N) or empty.
void scale_expert_outputs(CommandQueue& queue, const char* operation, TensorView out,
                          const ExpertRows& rows, std::span<const LinearWeight* const> experts,
                          ConstTensorView biases);

}  // namespace quire::cuda
