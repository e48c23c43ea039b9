#pragma once

#include <memory>

#include "kernels/backend.h"
#include "kernels/cuda/command_queue.h"

namespace quire::cuda {

/// The part of a GPU's memory that Quire leaves to the desktop and to other programs: a twentieth,
/// but at least 500 MB.
uint64_t reserved_bytes(uint64_t total_bytes);

/// The size of a GPU's memory, and the part that Quire may use.
struct DeviceMemoryInfo {
  uint64_t total_bytes = 0;
  uint64_t usable_bytes = 0;  ///< Free now, minus reserved_bytes().
};
DeviceMemoryInfo query_device_memory(CommandQueue& queue);

/// Device memory, 256-byte aligned, contents undefined. The buffer's destructor frees it after the
/// operations submitted to the queue, which must outlive the buffer. Errors: kOutOfMemory, with the
/// requested and the usable bytes, also if only reserved_bytes() are left.
Result<std::unique_ptr<DeviceBuffer>> allocate_device(CommandQueue& queue, size_t bytes);

/// Pinned memory of the host, contents undefined. Errors: kOutOfMemory.
Result<std::unique_ptr<DeviceBuffer>> allocate_pinned(CommandQueue& queue, size_t bytes);

}  // namespace quire::cuda
