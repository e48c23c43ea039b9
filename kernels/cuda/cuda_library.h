#pragma once

#include <memory>
#include <vector>

#include "kernels/backend.h"

namespace quire::cuda {

/// What the shared library of the CUDA backend offers to the program that loads it. Both are built
/// together and belong together: the program refuses a library of another interface.
struct CudaLibrary {
  const char* interface_version;
  Result<std::unique_ptr<Backend>> (*create)(int device, const BackendOptions& options);
  std::vector<DeviceInfo> (*list_devices)();
};

/// Changed with everything that crosses the seam: kernels/backend.h and what it includes.
inline constexpr const char* kCudaInterfaceVersion = "quire-0.1.0-backend-1";

/// The library's one exported function, of type CudaLibrary const* ().
inline constexpr const char* kCudaLibrarySymbol = "quire_cuda_library";

}  // namespace quire::cuda
