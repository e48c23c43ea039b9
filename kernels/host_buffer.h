#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <string>

#include "kernels/base/megabytes.h"
#include "kernels/base/result.h"

namespace quire {

/// Memory of a backend, 64-byte aligned and zeroed unless documented otherwise. Calls `free` when
/// it is destroyed.
class DeviceBuffer {
 public:
  DeviceBuffer(void* data, size_t bytes, std::function<void()> free)
      : m_data(data), m_bytes(bytes), m_free(std::move(free)) {}
  ~DeviceBuffer() { m_free(); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  void* data() const { return m_data; }
  size_t size_bytes() const { return m_bytes; }

 private:
  void* m_data;
  size_t m_bytes;
  std::function<void()> m_free;
};

/// Host memory, not zeroed, so that it is committed only when it is used. Errors: kOutOfMemory,
/// with the bytes asked for.
inline Result<std::unique_ptr<DeviceBuffer>> allocate_plain_host(size_t bytes) {
  constexpr std::align_val_t kAlignment{64};
  void* const memory = ::operator new(bytes, kAlignment, std::nothrow);
  if (memory == nullptr) {
    return Error{ErrorCode::kOutOfMemory, "The system has no " + megabytes(bytes) +
                                              " of memory left for this. Close other programs."};
  }
  return std::make_unique<DeviceBuffer>(memory, bytes,
                                        [=] { ::operator delete(memory, kAlignment); });
}

}  // namespace quire
