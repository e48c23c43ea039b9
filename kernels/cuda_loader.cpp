#include "kernels/cuda_loader.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

namespace quire {
namespace {

constexpr const char* kLibraryName = "libquire_cuda.so";

std::vector<std::filesystem::path> candidate_paths() {
  std::error_code error;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  return {folder / kLibraryName, folder / ".." / "lib" / "quire" / kLibraryName};
}

Error unsupported(std::string reason) {
  return {ErrorCode::kUnsupported, std::move(reason)};
}

Result<const cuda::CudaLibrary*> open_library(const std::filesystem::path& path) {
  // Kept for the process's life: what it made may be used until then.
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const why = dlerror();
    return unsupported(
        "The CUDA backend cannot be loaded: " + std::string(why != nullptr ? why : path.c_str()) +
        ". Install Quire anew, or unset QUIRE_CUDA_LIBRARY if it is set.");
  }
  using Entry = const cuda::CudaLibrary* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(handle, cuda::kCudaLibrarySymbol));
  const cuda::CudaLibrary* const library = entry != nullptr ? entry() : nullptr;
  if (library == nullptr || std::string_view(library->interface_version) != QUIRE_CUDA_INTERFACE) {
    return unsupported("The CUDA backend " + path.string() +
                       " belongs to another version of Quire. Install both from one package.");
  }
  return library;
}

Result<const cuda::CudaLibrary*> find_library() {
  if (const char* const named = std::getenv("QUIRE_CUDA_LIBRARY"); named != nullptr) {
    return open_library(named);
  }
  for (const std::filesystem::path& path : candidate_paths()) {
    std::error_code error;
    if (std::filesystem::exists(path, error)) return open_library(path);
  }
  return unsupported("This installation of Quire has no CUDA backend (" +
                     std::string(kLibraryName) + "), so NVIDIA GPUs cannot be used.");
}

}  // namespace

Result<const cuda::CudaLibrary*> load_cuda_library() {
  static const Result<const cuda::CudaLibrary*> library = find_library();
  return library;
}

}  // namespace quire
