#pragma once

#include <initializer_list>
#include <memory>
#include <utility>

#include "kernels/backend.h"

namespace quire {

/// A tensor in the backend's memory together with that memory. Empty by default.
struct DeviceTensor {
  std::unique_ptr<DeviceBuffer> buffer;
  TensorView view;

  size_t size_bytes() const { return buffer ? buffer->size_bytes() : 0; }
};

/// Errors: kOutOfMemory.
inline Result<DeviceTensor> allocate_tensor(Backend& backend, DType dtype,
                                            std::initializer_list<int64_t> shape) {
  int64_t count = 1;
  for (int64_t n : shape) count *= n;
  auto buffer = backend.allocate(static_cast<size_t>(dtype_span_bytes(dtype, count)));
  if (!buffer) return buffer.error();
  const TensorView view((*buffer)->data(), dtype, shape);
  return DeviceTensor{std::move(*buffer), view};
}

}  // namespace quire
