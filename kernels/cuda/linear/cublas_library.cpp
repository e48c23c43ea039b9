#include "kernels/cuda/linear/cublas_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace quire::cuda {
namespace {

std::vector<std::string> candidate_files() {
  if (const char* const named = std::getenv("QUIRE_CUBLAS_LIBRARY"); named != nullptr) {
    return {named};
  }
#ifdef QUIRE_SIMT_HARNESS
  // Its GPU is none that a cuBLAS of this machine could use.
  return {};
#else
  // The runtime of this major version works with this machine's driver, so its cuBLAS does too.
  const std::string own = std::to_string(CUDART_VERSION / 1000);
  return {"libcublas.so." + own, "libcublas.so.13", "libcublas.so.12"};
#endif
}

Error unsupported(const std::string& why) {
  return {ErrorCode::kUnsupported, "cuBLAS cannot be loaded (" + why +
                                       "): install it with CUDA's libraries, or name its file in "
                                       "QUIRE_CUBLAS_LIBRARY."};
}

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

Result<CublasLibrary> find_functions(void* handle, const std::string& file) {
  CublasLibrary library = {};
  const bool has_all = find(handle, "cublasCreate_v2", library.create) &&
                       find(handle, "cublasDestroy_v2", library.destroy) &&
                       find(handle, "cublasSetStream_v2", library.set_stream) &&
                       find(handle, "cublasSetWorkspace_v2", library.set_workspace) &&
                       find(handle, "cublasGemmEx", library.gemm);
  if (!has_all) return unsupported(file + " lacks its functions");
  return library;
}

}  // namespace

Result<CublasLibrary> load_cublas() {
  std::string why = "the GPU is none of NVIDIA's";
  for (const std::string& file : candidate_files()) {
    void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) return find_functions(handle, file);
    const char* const words = dlerror();
    why = words != nullptr ? words : file;
  }
  return unsupported(why);
}

}  // namespace quire::cuda
