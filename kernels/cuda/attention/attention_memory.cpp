#include "kernels/cuda/attention/attention_memory.h"

namespace quire::cuda {
namespace {

constexpr const char* kOperation = "planning attention";

}  // namespace

GrowingMemory::~GrowingMemory() {
  release_old();
  if (m_memory != nullptr) cudaFree(m_memory);
}

void* GrowingMemory::reserve(size_t bytes) {
  if (bytes <= m_bytes) return m_memory;
  constexpr size_t kStep = size_t{1} << 20;
  const size_t grown = (bytes + bytes / 4 + kStep - 1) / kStep * kStep;
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

}  // namespace quire::cuda
