#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/kernels/conformance/device.h"

namespace quire::test {

/// Numbers in a device's memory. What was uploaded is kept, as the contract of Backend asks, until
/// the array goes. Without memory for them the case has failed (Device::allocate).
template <typename T>
class DeviceArray {
 public:
  DeviceArray(Device& device, std::vector<T> numbers)
      : m_device(&device), m_host(std::move(numbers)), m_buffer(device.allocate(bytes())) {
    device.backend.upload(data(), m_host.data(), bytes());
  }
  /// n times `value`, so that what an operation leaves out is seen.
  DeviceArray(Device& device, int64_t n, T value)
      : DeviceArray(device, std::vector<T>(static_cast<size_t>(n), value)) {}

  int64_t size() const { return static_cast<int64_t>(m_host.size()); }
  T* data() const { return m_buffer == nullptr ? nullptr : static_cast<T*>(m_buffer->data()); }

  TensorView view(DType dtype, std::initializer_list<int64_t> shape) const {
    return {data(), dtype, shape};
  }
  TensorView view(std::initializer_list<int64_t> shape) const {
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, int32_t>);
    return view(std::is_same_v<T, float> ? DType::kF32 : DType::kI32, shape);
  }

  /// Other contents at the same place; waits for what still reads the old ones.
  void assign(std::vector<T> numbers) {
    CHECK(numbers.size() == m_host.size());
    m_device->finish();
    m_host = std::move(numbers);
    m_device->backend.upload(data(), m_host.data(), bytes());
  }

  /// Waits for everything submitted, then the contents.
  std::vector<T> download() const {
    std::vector<T> numbers(m_host.size());
    m_device->backend.download(numbers.data(), data(), bytes());
    m_device->finish();
    return numbers;
  }

 private:
  size_t bytes() const { return m_host.size() * sizeof(T); }

  Device* m_device;
  std::vector<T> m_host;
  std::unique_ptr<DeviceBuffer> m_buffer;
};

}  // namespace quire::test
