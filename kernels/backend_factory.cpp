#include <climits>
#include <cstdlib>
#include <optional>
#include <utility>

#include "kernels/backend.h"
#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/cpu_features.h"
#include "kernels/cuda_loader.h"

namespace quire {
namespace {

/// The variant that QUIRE_CPU_ISA asks for, or the best.
Result<const cpu::CpuKernels*> kernels_from_environment() {
  const char* const name = std::getenv("QUIRE_CPU_ISA");
  return cpu::select_kernels(name == nullptr ? "" : name);
}

int thread_count(int requested) {
  return requested > 0 ? requested : cpu::num_usable_processors();
}

bool is_cuda_name(const std::string& device) {
  if (device == "cuda") return true;
  return device.size() > 5 && device.starts_with("cuda:") &&
         device.find_first_not_of("0123456789", 5) == std::string::npos;
}

Result<std::unique_ptr<Backend>> create_cpu_backend(int num_threads) {
  if (num_threads < 0 || num_threads > 1024) {
    return Error{ErrorCode::kInvalidArgument, "The number of CPU threads is " +
                                                  std::to_string(num_threads) +
                                                  "; it must be between 0 (all cores) and 1024."};
  }
  const Result<const cpu::CpuKernels*> kernels = kernels_from_environment();
  if (!kernels) return kernels.error();
  return std::unique_ptr<Backend>(new cpu::CpuBackend(**kernels, thread_count(num_threads)));
}

/// The number in "cuda:1"; "cuda" is the first. Numbers that no machine has become the largest int.
int gpu_number(const std::string& device) {
  constexpr size_t kMostDigits = 9;
  if (device == "cuda") return 0;
  const std::string digits = device.substr(5);
  return digits.size() > kMostDigits ? INT_MAX : std::stoi(digits);
}

Result<std::unique_ptr<Backend>> create_gpu_backend(const BackendOptions& options) {
  const auto library = load_cuda_library();
  if (!library) {
    return Error{library.error().code, library.error().message + " Choose the device \"cpu\"."};
  }
  return (*library)->create(gpu_number(options.device), options);
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

/// The GPU with the most memory that can be used.
std::optional<DeviceInfo> best_gpu() {
  std::optional<DeviceInfo> best;
  for (const DeviceInfo& gpu : list_gpus()) {
    if (gpu.available && (!best || gpu.total_bytes > best->total_bytes)) best = gpu;
  }
  return best;
}

/// The best GPU; the CPU where there is none, or where it refuses at its start.
Result<std::unique_ptr<Backend>> create_best_backend(const BackendOptions& options) {
  if (const std::optional<DeviceInfo> gpu = best_gpu()) {
    BackendOptions on_gpu = options;
    on_gpu.device = gpu->name;
    if (auto backend = create_gpu_backend(on_gpu)) return backend;
  }
  return create_cpu_backend(options.num_threads);
}

}  // namespace

Result<std::unique_ptr<Backend>> create_backend(const BackendOptions& options) {
  if (options.device == "auto") return create_best_backend(options);
  if (options.device == "cpu") return create_cpu_backend(options.num_threads);
  if (is_cuda_name(options.device)) return create_gpu_backend(options);
  return Error{ErrorCode::kInvalidArgument,
               "There is no device \"" + options.device +
                   "\". Choose \"auto\", \"cpu\", \"cuda\" or a certain GPU such as \"cuda:1\"."};
}

std::vector<DeviceInfo> list_devices() {
  DeviceInfo cpu;
  const Result<const cpu::CpuKernels*> kernels = kernels_from_environment();
  if (kernels) {
    cpu = cpu::CpuBackend::describe(**kernels, thread_count(0));
  } else {
    cpu.name = "cpu";
    cpu.description = cpu::processor_name();
    cpu.reason = kernels.error().message;
  }
  std::vector<DeviceInfo> devices = {cpu};
  for (DeviceInfo& gpu : list_gpus()) devices.push_back(std::move(gpu));
  return devices;
}

}  // namespace quire
