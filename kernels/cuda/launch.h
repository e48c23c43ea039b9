#pragma once

#include <cuda_runtime.h>

#include <utility>

#include "kernels/cuda/command_queue.h"

namespace quire::cuda {

struct LaunchShape {
  dim3 grid;
  dim3 block;
  size_t shared_bytes = 0;  ///< Dynamic shared memory of a block.
};

enum class Beginning {
  kInOrder,  ///< When everything before it has ended.
  /// Programmatic dependent launch: on GPUs that can, while the kernel before it ends, if that was
  /// also launched with kEarly. What it costs to start a kernel, and what the kernel does before
  /// wait_for_earlier_kernels(), are then hidden. Every thread calls that function once
  /// (device/launch_order.h).
  kEarly
};

/// Submits a kernel; failures are noted under the operation's name. Grids without blocks do
/// nothing.
template <Beginning kBeginning, typename... Parameters, typename... Arguments>
void launch(CommandQueue& queue, const char* operation, void (*kernel)(Parameters...),
            const LaunchShape& shape, Arguments&&... arguments) {
  if (shape.grid.x == 0 || shape.grid.y == 0 || shape.grid.z == 0 || queue.has_failed()) return;
  queue.activate();  // Attributes are the current device's.
  constexpr size_t kDefaultSharedBytes = 48 * 1024;
  if (shape.shared_bytes > kDefaultSharedBytes) {
    queue.raise_shared_limit(reinterpret_cast<const void*>(kernel), operation);
  }
  cudaLaunchAttribute early = {};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = shape.grid;
  config.blockDim = shape.block;
  config.dynamicSmemBytes = shape.shared_bytes;
  config.attrs = &early;
  constexpr bool kIsEarly = kBeginning == Beginning::kEarly;
  config.numAttrs = kIsEarly && queue.may_begin_early() ? 1 : 0;
  config.stream = queue.stream();
  queue.note(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...), operation);
  if (kIsEarly) queue.let_next_begin_early();
}

template <typename... Parameters, typename... Arguments>
void launch(CommandQueue& queue, const char* operation, void (*kernel)(Parameters...),
            const LaunchShape& shape, Arguments&&... arguments) {
  launch<Beginning::kInOrder>(queue, operation, kernel, shape,
                              std::forward<Arguments>(arguments)...);
}

/// Only for kernels in which every thread calls wait_for_earlier_kernels().
template <typename... Parameters, typename... Arguments>
void launch_early(CommandQueue& queue, const char* operation, void (*kernel)(Parameters...),
                  const LaunchShape& shape, Arguments&&... arguments) {
  launch<Beginning::kEarly>(queue, operation, kernel, shape, std::forward<Arguments>(arguments)...);
}

/// Whether vectors of 16 bytes can be at that place.
inline bool is_aligned_pointer(const void* data) {
  return reinterpret_cast<uintptr_t>(data) % 16 == 0;
}

/// n / divisor, rounded up, as a grid's dimension.
inline unsigned grid_size(int64_t n, int64_t divisor) {
  return static_cast<unsigned>((n + divisor - 1) / divisor);
}

}  // namespace quire::cuda
