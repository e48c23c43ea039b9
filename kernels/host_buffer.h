#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <string>

#include "kernels/base/result.h"

namespace quire {

/// Memory of a backend, 64-byte aligned and zeroed unless documented otherwise.
class DeviceBuffer {
 public:
  virtual ~DeviceBuffer() = default;
  virtual void* data() = 0;
  virtual size_t size_bytes() const = 0;
};

/// Host memory, 64-byte aligned, not zeroed, so that it is committed only when it is used.
class PlainHostBuffer final : public DeviceBuffer {
 public:
  static constexpr std::align_val_t kAlignment{64};

  /// memory: from operator new with kAlignment.
  PlainHostBuffer(void* memory, size_t bytes) : m_memory(memory), m_bytes(bytes) {}
  ~PlainHostBuffer() override { ::operator delete(m_memory, kAlignment); }
  PlainHostBuffer(const PlainHostBuffer&) = delete;
  PlainHostBuffer& operator=(const PlainHostBuffer&) = delete;

  void* data() override { return m_memory; }
  size_t size_bytes() const override { return m_bytes; }

 private:
  void* m_memory;
  size_t m_bytes;
};

/// Errors: kOutOfMemory, with the bytes asked for.
inline Result<std::unique_ptr<DeviceBuffer>> allocate_plain_host(size_t bytes) {
  void* const memory = ::operator new(bytes, PlainHostBuffer::kAlignment, std::nothrow);
  if (memory == nullptr) {
    return Error{ErrorCode::kOutOfMemory, "The system has no " + std::to_string((bytes >> 20) + 1) +
                                              " MB of memory left for this. Close other programs."};
  }
  return std::unique_ptr<DeviceBuffer>(new PlainHostBuffer(memory, bytes));
}

}  // namespace quire
