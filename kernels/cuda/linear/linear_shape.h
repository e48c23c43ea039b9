#pragma once

#include "kernels/cuda/linear/gemm_task.h"

namespace quire::cuda {

/// choose_shape for a dense layer. For up to eight rows each block of kFew8 rounds all inputs for
/// itself: with many inputs kFew16 is quicker, whose inputs a kernel rounds once for all blocks.
GemmShape choose_linear_shape(const GpuFacts& facts, int64_t num_rows, int64_t num_outputs,
                              int64_t num_inputs);

}  // namespace quire::cuda
