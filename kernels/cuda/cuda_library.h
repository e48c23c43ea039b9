#pragma once

#include <memory>
#include <vector>

#include "kernels/backend.h"

namespace quire::cuda {

/// What the shared library of the CUDA backend offers to the program that loads it. Both are built
/// together and belong together: the program refuses a library of another interface.
struct CudaLibrary {
  const char* interface_version;  ///< QUIRE_CUDA_INTERFACE: of what crosses the seam.
  Result<std::unique_ptr<Backend>> (*create)(int device, const BackendOptions& options);
  std::vector<DeviceInfo> (*list_devices)();
};

/// The library's one exported function, of type CudaLibrary const* ().
inline constexpr const char* kCudaLibrarySymbol = "quire_cuda_library";

}  // namespace quire::cuda
