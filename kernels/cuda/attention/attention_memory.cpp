#include "kernels/cuda/attention/attention_memory.h"

namespace quire::cuda {
namespace {

constexpr const char* kOperation = "planning attention";

size_t round_up(size_t bytes, size_t step) {
  return (bytes + step - 1) / step * step;
}

}  // namespace

GrowingMemory::~GrowingMemory() {
  release_old();
  if (m_memory != nullptr) cudaFree(m_memory);
}

void* GrowingMemory::reserve(size_t bytes) {
  if (bytes <= m_bytes) return m_memory;
  constexpr size_t kStep = size_t{1} << 20;
  const size_t grown = round_up(bytes + bytes / 4, kStep);
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, grown);
  m_queue.note(status, kOperation);
  if (status != cudaSuccess) return nullptr;
  if (m_memory != nullptr) m_old.push_back(m_memory);
  m_memory = memory;
  m_bytes = grown;
  return memory;
}

void GrowingMemory::release_old() {
  for (void* memory : m_old) cudaFree(memory);
  m_old.clear();
}

CopyStage::~CopyStage() {
  for (const Part& part : m_parts) {
    if (part.copied != nullptr) cudaEventDestroy(part.copied);
    if (part.memory != nullptr) cudaFreeHost(part.memory);
  }
}

unsigned char* CopyStage::next(size_t bytes) {
  m_current = (m_current + 1) % m_parts.size();
  Part& part = m_parts[m_current];
  cudaError_t status = cudaSuccess;
  if (part.copied == nullptr) {
    status = cudaEventCreateWithFlags(&part.copied, cudaEventDisableTiming);
  } else {
    status = cudaEventSynchronize(part.copied);
  }
  m_queue.note(status, kOperation);
  if (status != cudaSuccess) return nullptr;
  if (bytes <= part.bytes) return part.memory;
  constexpr size_t kStep = size_t{64} << 10;
  const size_t grown = round_up(bytes + bytes / 4, kStep);
  if (part.memory != nullptr) cudaFreeHost(part.memory);
  part.memory = nullptr;
  part.bytes = 0;
  void* memory = nullptr;
  status = cudaMallocHost(&memory, grown);
  m_queue.note(status, kOperation);
  if (status != cudaSuccess) return nullptr;
  part.memory = static_cast<unsigned char*>(memory);
  part.bytes = grown;
  return part.memory;
}

void CopyStage::submitted() {
  m_queue.note(cudaEventRecord(m_parts[m_current].copied, m_queue.stream()), kOperation);
}

}  // namespace quire::cuda
