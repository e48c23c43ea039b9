#include "kernels/parallel_memory.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace quire {

Result<std::unique_ptr<DeviceBuffer>> ParallelMemory::allocate(
    std::span<const std::unique_ptr<Backend>> devices, const Shape& shape) {
  Buffer buffer = {.shape = shape, .on_devices = {}};
  const size_t bytes = shape.item_bytes > 0 ? shape.bytes / devices.size() : shape.bytes;
  for (const auto& device : devices) {
    auto memory = device->allocate(bytes);
    if (!memory) return memory.error();
    buffer.on_devices.push_back(std::move(*memory));
  }
  constexpr uintptr_t kAlignment = 4096;  // And a gap behind each buffer.
  const uintptr_t begin = m_next;
  m_next += (shape.bytes / kAlignment + 2) * kAlignment;
  m_buffers.emplace(begin, std::move(buffer));
  return std::make_unique<DeviceBuffer>(reinterpret_cast<void*>(begin), shape.bytes,
                                        [this, begin] { m_buffers.erase(begin); });
}

ParallelMemory::Buffers::const_iterator ParallelMemory::find(const void* address) const {
  const auto number = reinterpret_cast<uintptr_t>(address);
  const auto after = m_buffers.upper_bound(number);
  CHECK(after != m_buffers.begin());
  const auto found = std::prev(after);
  CHECK(number - found->first <= found->second.shape.bytes);
  return found;
}

void* ParallelMemory::on(size_t device, const void* address) const {
  if (address == nullptr) return nullptr;
  const auto found = find(address);
  const auto& [begin, buffer] = *found;
  size_t offset = reinterpret_cast<uintptr_t>(address) - begin;
  if (const size_t item = buffer.shape.item_bytes; item > 0) {
    CHECK(offset % item == 0);
    offset /= buffer.on_devices.size();
  }
  return static_cast<std::byte*>(buffer.on_devices.at(device)->data()) + offset;
}

size_t ParallelMemory::item_bytes(const void* address) const {
  return address == nullptr ? 0 : find(address)->second.shape.item_bytes;
}

}  // namespace quire
