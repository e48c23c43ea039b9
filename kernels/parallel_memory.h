#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "kernels/backend.h"

namespace quire {

/// The memory of a tensor-parallel group. An address of it stands for a place on every device, and
/// nothing can be read there.
/// Thread: one at a time.
class ParallelMemory {
 public:
  /// The same bytes on every device; or pages that are divided: `item_bytes` of an item, of which
  /// each device has an equal part.
  struct Shape {
    size_t bytes = 0;
    size_t item_bytes = 0;  ///< 0: not divided.
  };
  /// The buffer must not outlive this. Errors: those of Backend::allocate.
  Result<std::unique_ptr<DeviceBuffer>> allocate(std::span<const std::unique_ptr<Backend>> devices,
                                                 const Shape& shape);

  /// Where the address is on that device; null for null. Of divided memory only an item's begin.
  void* on(size_t device, const void* address) const;
  /// The bytes of an item of the memory that holds the address; 0 if it is not divided.
  size_t item_bytes(const void* address) const;

 private:
  struct Buffer {
    Shape shape;
    std::vector<std::unique_ptr<DeviceBuffer>> on_devices;
  };
  using Buffers = std::map<uintptr_t, Buffer>;
  Buffers::const_iterator find(const void* address) const;

  Buffers m_buffers;  ///< By their first address.
  uintptr_t m_next = uintptr_t{1} << 40;
};

}  // namespace quire
