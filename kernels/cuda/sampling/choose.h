#pragma once

#include "kernels/cuda/command_queue.h"
#include "kernels/cuda/sampling/sample_task.h"

namespace quire::cuda {

/// Chooses the rows' tokens after the scans. Rows whose candidates are too many stay kUndecided.
void submit_choice(CommandQueue& queue, const SampleTask& task);
/// Chooses those; num_lists: how many lists of task.capacity keys there are.
void submit_large_choice(CommandQueue& queue, const SampleTask& task, int32_t num_lists);

}  // namespace quire::cuda
