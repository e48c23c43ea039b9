#pragma once

#include <memory>

#include "kernels/backend.h"
#include "kernels/cuda/command_queue.h"

namespace quire::cuda {

/// What of a GPU's memory Quire leaves to the desktop and to other programs: a twentieth, and never
/// less than 500 MB.
uint64_t reserved_bytes(uint64_t total_bytes);

/// A GPU's memory as Quire sees it.
struct DeviceMemoryInfo {
  uint64_t total_bytes = 0;
  uint64_t usable_bytes = 0;  ///< Free now, less what is left to others.
};
DeviceMemoryInfo query_device_memory(CommandQueue& queue);

/// Device memory, 256-byte aligned, contents undefined; freed with the buffer, after what was
/// submitted to the queue, which outlives it. Errors: kOutOfMemory, with the bytes asked for and
/// those that Quire may use; also where the GPU has them but they are the desktop's.
Result<std::unique_ptr<DeviceBuffer>> allocate_device(CommandQueue& queue, size_t bytes);

/// Pinned memory of the host, contents undefined. Errors: kOutOfMemory.
Result<std::unique_ptr<DeviceBuffer>> allocate_pinned(CommandQueue& queue, size_t bytes);

}  // namespace quire::cuda
