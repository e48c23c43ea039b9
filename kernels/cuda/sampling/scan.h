#pragma once

#include "kernels/cuda/command_queue.h"
#include "kernels/cuda/sampling/sample_task.h"

namespace quire::cuda {

/// Changes logits as apply_penalties of the engine does; max_seen is the largest of num_seen.
void submit_penalties(CommandQueue& queue, const SampleTask& task, int32_t max_seen);
/// Fills block_max and tile_max.
void submit_maxima(CommandQueue& queue, const SampleTask& task);
/// Fills block_sums, of the rows that need a total.
void submit_block_sums(CommandQueue& queue, const SampleTask& task);

}  // namespace quire::cuda
