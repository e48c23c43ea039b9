#include "kernels/cuda/device_memory.h"

#include <algorithm>
#include <string>

#include "kernels/base/megabytes.h"

namespace quire::cuda {
namespace {

constexpr uint64_t kLeastReservedBytes = uint64_t{500} << 20;
constexpr uint64_t kReservedShare = 20;

Error out_of_memory(uint64_t bytes, const DeviceMemoryInfo& memory) {
  return {
      ErrorCode::kOutOfMemory,
      "The GPU has " + megabytes(memory.usable_bytes) + " of its " + megabytes(memory.total_bytes) +
          " left for Quire, and this needs " + megabytes(bytes) +
          " more. Choose a smaller model, a smaller context or the CPU, or close other programs "
          "that use the GPU."};
}

}  // namespace

uint64_t reserved_bytes(uint64_t total_bytes) {
  return std::max(kLeastReservedBytes, total_bytes / kReservedShare);
}

DeviceMemoryInfo query_device_memory(CommandQueue& queue) {
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  queue.activate();
  queue.note(cudaMemGetInfo(&free_bytes, &total_bytes), "asking for free memory");
  const uint64_t reserved = reserved_bytes(total_bytes);
  return {.total_bytes = total_bytes,
          .usable_bytes = free_bytes > reserved ? free_bytes - reserved : 0};
}

Result<std::unique_ptr<DeviceBuffer>> allocate_device(CommandQueue& queue, size_t bytes) {
  const DeviceMemoryInfo memory = query_device_memory(queue);
  if (queue.has_failed()) return queue.take_failure().error();
  if (bytes > memory.usable_bytes) return out_of_memory(bytes, memory);
  void* data = nullptr;
  const cudaError_t status = cudaMalloc(&data, std::max<size_t>(bytes, 1));
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // Clears the error: the next call would report it again.
    return out_of_memory(bytes, memory);
  }
  if (status != cudaSuccess) return cuda_error(status, "allocating memory");
  return std::make_unique<DeviceBuffer>(data, bytes, [&queue, data] {
    queue.activate();
    // cudaFree waits for the device. Its result is ignored: the queue reports earlier failures.
    cudaFree(data);
    queue.note_freed_memory();
  });
}

Result<std::unique_ptr<DeviceBuffer>> allocate_pinned(CommandQueue& queue, size_t bytes) {
  queue.activate();
  void* data = nullptr;
  const cudaError_t status = cudaMallocHost(&data, std::max<size_t>(bytes, 1));
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // Clears the error: the next call would report it again.
    return Error{ErrorCode::kOutOfMemory,
                 "The system has no " + megabytes(bytes) +
                     " of memory that it can keep in place for the GPU. Close other programs."};
  }
  if (status != cudaSuccess) return cuda_error(status, "allocating pinned memory");
  return std::make_unique<DeviceBuffer>(data, bytes, [data] { cudaFreeHost(data); });
}

}  // namespace quire::cuda
