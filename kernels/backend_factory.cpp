#include <algorithm>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <set>
#include <string_view>
#include <utility>

#include "kernels/backend.h"
#include "kernels/base/processor_cores.h"
#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/cpu_features.h"
#include "kernels/cpu/cpu_memory.h"
#include "kernels/cuda/cuda_library.h"
#include "platform/program.h"

namespace quire {
namespace {

int thread_count(int requested) {
  return requested > 0 ? requested : num_usable_cores();
}

bool is_cuda_name(const std::string& device) {
  if (device == "cuda") return true;
  return device.size() > 5 && device.starts_with("cuda:") &&
         device.find_first_not_of("0123456789", 5) == std::string::npos;
}

Result<std::unique_ptr<Backend>> create_cpu_backend(const BackendOptions& options) {
  const int num_threads = options.num_threads;
  if (num_threads < 0 || num_threads > 1024) {
    return make_error(ErrorCode::kInvalidArgument,
                      "The number of CPU threads is %1; it must be between 0 (all cores) and 1024.",
                      {std::to_string(num_threads)});
  }
  const Result<const cpu::CpuKernels*> kernels = cpu::chosen_kernels();
  if (!kernels) return kernels.error();
  return std::unique_ptr<Backend>(
      new cpu::CpuBackend(**kernels, thread_count(num_threads), options.quantize_activations));
}

std::vector<std::string> split(const std::string& names, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : names) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// The number in "cuda:1"; 0 for "cuda". INT_MAX for numbers that may not fit an int.
int gpu_number(const std::string& device) {
  constexpr size_t kMostDigits = 9;
  if (device == "cuda") return 0;
  const std::string digits = device.substr(5);
  return digits.size() > kMostDigits ? INT_MAX : std::stoi(digits);
}

/// "cuda:0", or several such GPUs as one device, "cuda:0+cuda:1", each once.
bool is_gpu_device(const std::string& device) {
  std::set<int> numbers;
  for (const std::string& name : split(device, '+')) {
    if (!is_cuda_name(name) || !numbers.insert(gpu_number(name)).second) return false;
  }
  return true;
}

std::string library_name() {
  return platform::library_file_name("quire_cuda");
}

/// Also beside the file that this code is in, which may be the Python module; not if its path
/// depends on the current folder, where anything may lie.
std::vector<std::filesystem::path> candidate_paths() {
  const std::string name = library_name();
  const auto folder = platform::program_path().parent_path();
  std::vector<std::filesystem::path> paths = {folder / name,
                                              folder / ".." / "lib" / "quire" / name};
  const auto own = platform::code_path(reinterpret_cast<const void*>(&candidate_paths));
  if (!own.empty()) paths.push_back(own.parent_path() / name);
  return paths;
}

Error unsupported(std::string reason) {
  return {ErrorCode::kUnsupported, std::move(reason)};
}

Result<const cuda::CudaLibrary*> open_library(const std::filesystem::path& path) {
  // Never closed: objects that the library created may exist until the process ends.
  std::string reason;
  void* const handle = platform::load_library(path, reason);
  if (handle == nullptr) {
    return unsupported("The CUDA backend cannot be loaded: " + reason +
                       ". Install Quire anew, or unset QUIRE_CUDA_LIBRARY if it is set.");
  }
  using Entry = const cuda::CudaLibrary* (*)();
  const auto entry =
      reinterpret_cast<Entry>(platform::find_symbol(handle, cuda::kCudaLibrarySymbol));
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
  return unsupported("This installation of Quire has no CUDA backend (" + library_name() +
                     "), so NVIDIA GPUs cannot be used.");
}

/// The CUDA backend's shared library, loaded by the first call: the file QUIRE_CUDA_LIBRARY, or
/// libquire_cuda.so beside the program, in ../lib/quire, or beside the Python module. Programs
/// start without it and without a driver. Errors: kUnsupported, with the reason. Thread: any.
Result<const cuda::CudaLibrary*> load_cuda_library() {
  static const Result<const cuda::CudaLibrary*> library = find_library();
  return library;
}

Error without_gpu(const Error& error) {
  return {error.code, error.message + " Choose the device \"cpu\"."};
}

Result<std::unique_ptr<Backend>> create_one_gpu(const BackendOptions& options) {
  const auto library = load_cuda_library();
  if (!library) return without_gpu(library.error());
  auto backend = (*library)->create(gpu_number(options.device), options);
  return backend ? std::move(backend) : without_gpu(backend.error());
}

/// GPUs that compute every layer together.
Result<std::unique_ptr<Backend>> create_gpu_group(const BackendOptions& options) {
  std::vector<std::unique_ptr<Backend>> gpus;
  for (const std::string& name : split(options.device, '+')) {
    BackendOptions of_one = options;
    of_one.device = name;
    auto gpu = create_one_gpu(of_one);
    if (!gpu) return gpu.error();
    gpus.push_back(std::move(*gpu));
  }
  return join_devices(gpus);
}

Result<std::unique_ptr<Backend>> create_gpu_backend(const BackendOptions& options) {
  return options.device.find('+') == std::string::npos ? create_one_gpu(options)
                                                       : create_gpu_group(options);
}

std::vector<DeviceInfo> list_gpus() {
  const auto library = load_cuda_library();
  if (library) return (*library)->list_devices();
  DeviceInfo cuda;
  cuda.name = "cuda";
  cuda.description = "NVIDIA GPU";
  cuda.reason = library.error().message;
  return {cuda};
}

/// The usable GPUs, those with more memory first; if there are none, why the first is not usable.
DeviceChoice choose_gpus() {
  DeviceChoice choice;
  std::vector<DeviceInfo> gpus = list_gpus();
  std::ranges::stable_sort(gpus, std::ranges::greater(), &DeviceInfo::total_bytes);
  for (const DeviceInfo& gpu : gpus) {
    if (gpu.available) {
      choice.names.push_back(gpu.name);
    } else if (choice.gpu_reason.empty()) {
      choice.gpu_reason = gpu.reason;
    }
  }
  if (!choice.names.empty()) choice.gpu_reason.clear();
  return choice;
}

/// The first of the devices that starts.
Result<std::unique_ptr<Backend>> create_best_backend(const BackendOptions& options) {
  for (const std::string& name : choose_gpus().names) {
    BackendOptions on_gpu = options;
    on_gpu.device = name;
    if (auto backend = create_gpu_backend(on_gpu)) return backend;
  }
  return create_cpu_backend(options);
}

Error unknown_device(const std::string& device) {
  return {
      ErrorCode::kInvalidArgument,
      "There is no device \"" + device +
          "\". Choose \"auto\", \"cpu\", \"cuda\", a certain GPU such as \"cuda:1\", or several: "
          "\"cuda:0,cuda:1\" have layers of their own, \"cuda:0+cuda:1\" compute each together."};
}

}  // namespace

Result<DeviceChoice> choose_devices(const BackendOptions& options) {
  DeviceChoice choice;
  if (options.device == "auto" || options.device == "cuda") {
    choice = choose_gpus();
    if (options.device == "cuda" && choice.names.empty()) {
      return without_gpu({ErrorCode::kUnsupported, choice.gpu_reason});
    }
  } else if (options.device != "cpu") {
    choice.names = split(options.device, ',');
    std::string all = options.device;
    std::ranges::replace(all, ',', '+');
    if (!is_gpu_device(all)) return unknown_device(options.device);
  }
  choice.names.push_back("cpu");
  return choice;
}

Result<std::unique_ptr<Backend>> create_backend(const BackendOptions& options) {
  if (options.device == "auto") return create_best_backend(options);
  if (options.device == "cpu") return create_cpu_backend(options);
  if (is_gpu_device(options.device)) return create_gpu_backend(options);
  return unknown_device(options.device);
}

uint64_t available_host_bytes() {
  uint64_t total_bytes = 0, free_bytes = 0;
  cpu::query_memory(total_bytes, free_bytes);
  return free_bytes;
}

std::vector<DeviceInfo> list_devices() {
  DeviceInfo cpu;
  const Result<const cpu::CpuKernels*> kernels = cpu::chosen_kernels();
  if (kernels) {
    cpu = cpu::CpuBackend::describe(**kernels, thread_count(0),
                                    BackendOptions().quantize_activations);
  } else {
    cpu.name = "cpu";
    cpu.description = processor_name();
    cpu.reason = kernels.error().message;
  }
  std::vector<DeviceInfo> devices = {cpu};
  for (DeviceInfo& gpu : list_gpus()) devices.push_back(std::move(gpu));
  return devices;
}

}  // namespace quire
