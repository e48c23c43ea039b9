#include "kernels/cpu/weight_memory.h"

#include <utility>

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
    close();
    auto block = Mapping::create(kBlockBytes);
    // A system that has no whole block may have enough for the weight.
    if (!block) return allocate_buffer(bytes);
    m_block = std::move(*block);
  }
  char* const data = m_block->data() + m_used_bytes;
  m_used_bytes += aligned(bytes);
  return std::make_unique<DeviceBuffer>(data, bytes, [block = m_block] {});
}

void WeightMemory::close() {
  if (m_block != nullptr) m_block->shorten(m_used_bytes);
  m_block = nullptr;
  m_used_bytes = 0;
}

}  // namespace quire::cpu
