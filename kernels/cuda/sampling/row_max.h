#pragma once

#include "kernels/cuda/device/portable.h"
#include "kernels/cuda/sampling/sample_task.h"

namespace quire::cuda {

/// The largest logit of a row, by every warp for itself: +inf if any is unsound, -inf if all are
/// masked.
__device__ __forceinline__ float row_max(const SampleTask& task, int row) {
  const float* const maxima = task.tile_max + int64_t{row} * task.num_tiles;
  float largest = -INFINITY;
  for (int i = lane_index(); i < task.num_tiles; i += kWarpSize) {
    largest = fmaxf(largest, maxima[i]);
  }
  return warp_max(largest);
}

__device__ __forceinline__ bool is_sound(float largest) {
  return largest < INFINITY && largest > -INFINITY;
}

}  // namespace quire::cuda
