#include "kernels/cuda/pinned_ring.h"

namespace quire::cuda {

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
