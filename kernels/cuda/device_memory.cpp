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

PinnedRing::~PinnedRing() {
  for (const Slot& slot : m_slots) {
    if (slot.copied != nullptr) {
      cudaEventSynchronize(slot.copied);  // A copy may still read the slot.
      cudaEventDestroy(slot.copied);
    }
    if (slot.memory != nullptr) cudaFreeHost(slot.memory);
  }
}

cudaError_t PinnedRing::grow(Slot& slot, size_t bytes) {
  if (slot.copied == nullptr) {
    const cudaError_t status = cudaEventCreateWithFlags(&slot.copied, cudaEventDisableTiming);
    if (status != cudaSuccess) return status;
  }
  if (bytes <= slot.bytes) return cudaSuccess;
  if (slot.memory != nullptr) cudaFreeHost(slot.memory);
  slot.memory = nullptr;
  slot.bytes = 0;
  void* memory = nullptr;
  const cudaError_t status = cudaMallocHost(&memory, bytes);
  if (status != cudaSuccess) return status;
  slot.memory = static_cast<uint8_t*>(memory);
  slot.bytes = bytes;
  return cudaSuccess;
}

Result<void> PinnedRing::reserve(size_t bytes) {
  m_queue.activate();  // An event belongs to the device that is current when it is created.
  for (Slot& slot : m_slots) {
    const cudaError_t status = grow(slot, bytes);
    if (status == cudaSuccess) continue;
    cudaGetLastError();  // Clears the error: the next call would report it again.
    return cuda_error(status, m_operation);
  }
  return {};
}

uint8_t* PinnedRing::next(size_t bytes) {
  m_current = (m_current + 1) % m_slots.size();
  Slot& slot = m_slots[m_current];
  cudaError_t status = cudaSuccess;
  if (slot.copied != nullptr) status = cudaEventSynchronize(slot.copied);
  if (status == cudaSuccess && (slot.copied == nullptr || bytes > slot.bytes)) {
    constexpr size_t kStep = size_t{64} << 10;
    status = grow(slot, (bytes + bytes / 4 + kStep - 1) / kStep * kStep);
  }
  m_queue.note(status, m_operation);
  return status == cudaSuccess ? slot.memory : nullptr;
}

void PinnedRing::submitted() {
  m_queue.note(cudaEventRecord(m_slots[m_current].copied, m_queue.stream()), m_operation);
}

}  // namespace quire::cuda
