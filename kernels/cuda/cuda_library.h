#pragma once

#include <memory>
#include <vector>

#include "kernels/backend.h"

namespace quire::cuda {

/// The interface of the CUDA backend's shared library. The program that loads it must be built from
/// the same headers: it refuses a library with another interface version.
struct CudaLibrary {
  const char* interface_version;  ///< QUIRE_CUDA_INTERFACE, a hash of the shared headers.
  Result<std::unique_ptr<Backend>> (*create)(int device, const BackendOptions& options);
  std::vector<DeviceInfo> (*list_devices)();
};

/// The library's one exported function, of type CudaLibrary const* ().
inline constexpr const char* kCudaLibrarySymbol = "quire_cuda_library";

}  // namespace quire::cuda
