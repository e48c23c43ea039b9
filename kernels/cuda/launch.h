#pragma once

#include <cuda_runtime.h>

#include "kernels/cuda/command_queue.h"

namespace quire::cuda {

struct LaunchShape {
  dim3 grid;
  dim3 block;
  size_t shared_bytes = 0;  ///< Dynamic shared memory of a block.
};

/// Submits a kernel; failures are noted under the operation's name. Grids without blocks do
/// nothing.
template <typename... Parameters, typename... Arguments>
void launch(CommandQueue& queue, const char* operation, void (*kernel)(Parameters...),
            const LaunchShape& shape, Arguments&&... arguments) {
  if (shape.grid.x == 0 || shape.grid.y == 0 || shape.grid.z == 0 || queue.has_failed()) return;
  queue.activate();  // Attributes are the current device's.
  constexpr size_t kDefaultSharedBytes = 48 * 1024;
  if (shape.shared_bytes > kDefaultSharedBytes) {
    queue.raise_shared_limit(reinterpret_cast<const void*>(kernel), operation);
  }
  cudaLaunchConfig_t config = {};
  config.gridDim = shape.grid;
  config.blockDim = shape.block;
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = queue.stream();
  queue.note(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...), operation);
}

/// n / divisor, rounded up, as a grid's dimension.
inline unsigned grid_size(int64_t n, int64_t divisor) {
  return static_cast<unsigned>((n + divisor - 1) / divisor);
}

}  // namespace quire::cuda
