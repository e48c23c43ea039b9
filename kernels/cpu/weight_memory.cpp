#include "kernels/cpu/weight_memory.h"

#include <utility>

#include "kernels/cpu/cpu_memory.h"

namespace quire::cpu {
namespace {

constexpr size_t kAlignment = 64;

size_t aligned(size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

Result<std::unique_ptr<DeviceBuffer>> WeightMemory::allocate(size_t bytes) {
  if (bytes == 0 || bytes > kMostSharedBytes) return allocate_buffer(bytes);
  if (m_block == nullptr || aligned(bytes) > kBlockBytes - m_used_bytes) {
    Result<std::unique_ptr<DeviceBuffer>> block = allocate_buffer(kBlockBytes);
    // A system that has no whole block may have enough for the weight.
    if (!block) return allocate_buffer(bytes);
    m_block = std::move(*block);
    m_used_bytes = 0;
  }
  char* const data = static_cast<char*>(m_block->data()) + m_used_bytes;
  m_used_bytes += aligned(bytes);
  return std::make_unique<DeviceBuffer>(data, bytes, [block = m_block] {});
}

}  // namespace quire::cpu
