#include <cstdlib>

#include "kernels/backend.h"
#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/cpu_features.h"

namespace quire {
namespace {

constexpr const char* kNoCuda =
    "This build of Quire has no CUDA backend yet, so NVIDIA GPUs cannot be used.";

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

}  // namespace

Result<std::unique_ptr<Backend>> create_backend(const BackendOptions& options) {
  if (options.device == "auto" || options.device == "cpu") {
    return create_cpu_backend(options.num_threads);
  }
  if (is_cuda_name(options.device)) {
    return Error{ErrorCode::kUnsupported, std::string(kNoCuda) + " Choose the device \"cpu\"."};
  }
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
  DeviceInfo cuda;
  cuda.name = "cuda";
  cuda.description = "NVIDIA GPU";
  cuda.reason = kNoCuda;
  return {cpu, cuda};
}

}  // namespace quire
