#include <cstdlib>
#include <cstring>

#include "tests/support/simt/runtime.h"

using simt::Entry;
using simt::runtime;

namespace {

/// Whether all of it is memory of that kind: one allocation of a device, or none of any device.
bool is_range(const void* memory, size_t bytes, bool is_device) {
  const int owner = runtime().owner(memory);
  if (owner < 0) return !is_device;
  return is_device && runtime().device(owner).memory->holds(memory, bytes);
}

bool fits_kind(const void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  if (kind == cudaMemcpyDefault) {
    return is_range(to, bytes, runtime().owner(to) >= 0) &&
           is_range(from, bytes, runtime().owner(from) >= 0);
  }
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  return is_range(to, bytes, to_device) && is_range(from, bytes, from_device);
}

cudaError_t copy_rows(void* to, const void* from, size_t to_pitch, size_t from_pitch, size_t width,
                      size_t height) {
  const int owners[] = {runtime().owner(to), runtime().owner(from)};
  const simt::DeviceAccess to_access(*runtime().device(owners[0] < 0 ? 0 : owners[0]).memory);
  const simt::DeviceAccess from_access(*runtime().device(owners[1] < 0 ? 0 : owners[1]).memory);
  for (size_t row = 0; row < height; ++row) {
    std::memmove(static_cast<char*>(to) + row * to_pitch,
                 static_cast<const char*>(from) + row * from_pitch, width);
  }
  return cudaSuccess;
}

cudaError_t submit_copy(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                        size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t handle) {
  const auto stream = runtime().find(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (width == 0 || height == 0) return cudaSuccess;
  if (to == nullptr || from == nullptr || to_pitch < width || from_pitch < width) {
    return cudaErrorInvalidValue;
  }
  if (!fits_kind(to, from, (height - 1) * to_pitch + width, kind) && height == 1) {
    return cudaErrorInvalidValue;
  }
  if (!fits_kind(to, to, (height - 1) * to_pitch + width, cudaMemcpyDefault) ||
      !fits_kind(from, from, (height - 1) * from_pitch + width, cudaMemcpyDefault)) {
    return cudaErrorInvalidValue;
  }
  const auto run = [=] { return copy_rows(to, from, to_pitch, from_pitch, width, height); };
  return runtime().submit(stream, {run, {}});
}

/// The default stream's work, done before the call returns.
cudaError_t finish_default_stream(cudaError_t submitted) {
  if (submitted != cudaSuccess) return submitted;
  const auto stream = runtime().current().default_stream;
  return runtime().run_until({stream, stream->num_submitted});
}

cudaError_t allocate_host(void** memory, size_t bytes) {
  if (memory == nullptr) return cudaErrorInvalidValue;
  *memory = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  if (*memory == nullptr) return cudaErrorMemoryAllocation;
  std::memset(*memory, 0xff, bytes);
  runtime().host_memory[*memory] = {bytes, simt::current_device()};
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  const Entry entry("cudaMemGetInfo");
  if (entry.has_failed()) return entry.status();
  const simt::DeviceMemory& memory = *runtime().current().memory;
  *free_bytes = memory.capacity() - memory.used_bytes();
  *total_bytes = memory.capacity();
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** memory, size_t bytes) {
  const Entry entry("cudaMalloc");
  if (entry.has_failed()) return entry.status();
  if (memory == nullptr) return entry.leave(cudaErrorInvalidValue);
  const cudaError_t refused = runtime().refuse_unsafe_call();
  if (refused != cudaSuccess) return entry.leave(refused);
  *memory = nullptr;
  if (bytes == 0) return cudaSuccess;
  *memory = runtime().current().memory->allocate(bytes);
  return entry.leave(*memory == nullptr ? cudaErrorMemoryAllocation : cudaSuccess);
}

cudaError_t cudaFree(void* memory) {
  const Entry entry("cudaFree");
  if (entry.has_failed()) return entry.status();
  if (memory == nullptr) return cudaSuccess;
  const cudaError_t refused = runtime().refuse_unsafe_call();
  if (refused != cudaSuccess) return entry.leave(refused);
  const int owner = runtime().owner(memory);
  if (owner < 0) return entry.leave(cudaErrorInvalidValue);
  // It waits for all that may use the memory.
  const cudaError_t status = runtime().run_all(owner);
  if (status != cudaSuccess) return entry.leave(status);
  const bool was_allocated = runtime().device(owner).memory->free(memory);
  return entry.leave(was_allocated ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMallocHost(void** memory, size_t bytes) {
  const Entry entry("cudaMallocHost");
  if (entry.has_failed()) return entry.status();
  return entry.leave(allocate_host(memory, bytes));
}

cudaError_t cudaHostAlloc(void** memory, size_t bytes, unsigned) {
  const Entry entry("cudaHostAlloc");
  if (entry.has_failed()) return entry.status();
  return entry.leave(allocate_host(memory, bytes));
}

cudaError_t cudaFreeHost(void* memory) {
  const Entry entry("cudaFreeHost");
  if (entry.has_failed()) return entry.status();
  if (memory == nullptr) return cudaSuccess;
  cudaError_t status = cudaSuccess;
  for (int i = 0; i < runtime().machine().num_devices && status == cudaSuccess; ++i) {
    status = runtime().run_all(i);
  }
  if (runtime().host_memory.erase(memory) == 0) return entry.leave(cudaErrorInvalidValue);
  std::free(memory);
  return entry.leave(status);
}

cudaError_t cudaHostRegister(void* memory, size_t bytes, unsigned) {
  const Entry entry("cudaHostRegister");
  if (entry.has_failed()) return entry.status();
  if (memory == nullptr || bytes == 0) return entry.leave(cudaErrorInvalidValue);
  const bool is_new =
      runtime()
          .host_memory.try_emplace(memory, simt::PinnedMemory{bytes, simt::current_device(), true})
          .second;
  return entry.leave(is_new ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered);
}

cudaError_t cudaHostUnregister(void* memory) {
  const Entry entry("cudaHostUnregister");
  if (entry.has_failed()) return entry.status();
  const bool was_there = runtime().host_memory.erase(memory) > 0;
  return entry.leave(was_there ? cudaSuccess : cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  const Entry entry("cudaMemcpy");
  if (entry.has_failed()) return entry.status();
  const cudaError_t refused = runtime().refuse_unsafe_call();
  if (refused != cudaSuccess) return entry.leave(refused);
  return entry.leave(
      finish_default_stream(submit_copy(to, bytes, from, bytes, bytes, 1, kind, nullptr)));
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  const Entry entry("cudaMemcpyAsync");
  if (entry.has_failed()) return entry.status();
  return entry.leave(submit_copy(to, bytes, from, bytes, bytes, 1, kind, stream));
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  const Entry entry("cudaMemcpy2DAsync");
  if (entry.has_failed()) return entry.status();
  return entry.leave(submit_copy(to, to_pitch, from, from_pitch, width, height, kind, stream));
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                size_t bytes, cudaStream_t stream) {
  const Entry entry("cudaMemcpyPeerAsync");
  if (entry.has_failed()) return entry.status();
  if (runtime().owner(to) != to_device || runtime().owner(from) != from_device) {
    return entry.leave(cudaErrorInvalidValue);
  }
  return entry.leave(
      submit_copy(to, bytes, from, bytes, bytes, 1, cudaMemcpyDeviceToDevice, stream));
}

cudaError_t cudaMemset(void* memory, int value, size_t bytes) {
  return finish_default_stream(cudaMemsetAsync(memory, value, bytes, nullptr));
}

cudaError_t cudaMemsetAsync(void* memory, int value, size_t bytes, cudaStream_t handle) {
  const Entry entry("cudaMemsetAsync");
  if (entry.has_failed()) return entry.status();
  const auto stream = runtime().find(handle);
  if (stream == nullptr) return entry.leave(cudaErrorInvalidResourceHandle);
  if (bytes == 0) return cudaSuccess;
  if (!is_range(memory, bytes, true)) return entry.leave(cudaErrorInvalidValue);
  const auto run = [=] {
    const simt::DeviceAccess access(*runtime().device(runtime().owner(memory)).memory);
    std::memset(memory, value, bytes);
    return cudaSuccess;
  };
  return entry.leave(runtime().submit(stream, {run, {}}));
}
