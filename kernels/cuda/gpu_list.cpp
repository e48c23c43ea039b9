#include "kernels/cuda/cuda_backend.h"

#include <string>

namespace quire::cuda {
namespace {

/// Kernels need instructions of Turing (2018): f16 tensor cores and ldmatrix.
constexpr int kLeastCapability = 75;

/// 13000 as "13.0".
std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// The reason why there is no GPU.
std::string reason_of(cudaError_t status) {
  int driver = 0;
  int runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  if (status == cudaErrorInsufficientDriver && driver != 0) {
    return "The NVIDIA driver is too old: it supports CUDA " + version_text(driver) +
           ", and Quire needs CUDA " + version_text(runtime) + ". Update the driver.";
  }
  if (status == cudaErrorInsufficientDriver || driver == 0) {
    return "No NVIDIA driver is installed.";
  }
  if (status == cudaErrorNoDevice) return "The NVIDIA driver finds no GPU.";
  return std::string("The NVIDIA driver does not work: ") + cudaGetErrorString(status) + " (" +
         cudaGetErrorName(status) + ").";
}

/// The number of GPUs, at least 1. Errors: kUnsupported, with the reason why there are none.
Result<int> count_gpus() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  cudaGetLastError();  // Clears the error: the next call would report it again.
  if (status != cudaSuccess) return Error{ErrorCode::kUnsupported, reason_of(status)};
  if (count == 0) return Error{ErrorCode::kUnsupported, reason_of(cudaErrorNoDevice)};
  return count;
}

std::string gigabytes(uint64_t bytes) {
  constexpr uint64_t kGigabyte = 1'000'000'000;
  if (bytes < 4 * kGigabyte) return std::to_string(bytes / 1'000'000) + " MB";
  return std::to_string((bytes + kGigabyte / 2) / kGigabyte) + " GB";
}

DeviceInfo unknown_gpu(const std::string& reason) {
  return {.name = "cuda",
          .description = "NVIDIA GPU",
          .available = false,
          .reason = reason,
          .has_own_memory = true,
          .kv_dtype = DType::kF16};
}

DeviceInfo describe(int device) {
  DeviceInfo info = unknown_gpu("");
  info.name = "cuda:" + std::to_string(device);
  cudaDeviceProp properties = {};
  if (const auto status = cudaGetDeviceProperties(&properties, device); status != cudaSuccess) {
    info.reason =
        std::string("The driver does not describe it: ") + cudaGetErrorString(status) + ".";
    return info;
  }
  info.total_bytes = properties.totalGlobalMem;
  info.description = std::string(properties.name) + ", " + gigabytes(info.total_bytes);
  const int capability = 10 * properties.major + properties.minor;
  if (capability < kLeastCapability) {
    info.reason = std::string(properties.name) + " is too old: its compute capability is " +
                  version_text(capability * 100) + ", and Quire needs " +
                  version_text(kLeastCapability * 100) + " (GeForce RTX 20, 2018) or later.";
    return info;
  }
  info.available = true;
  return info;
}

}  // namespace

std::vector<DeviceInfo> list_gpus() {
  const Result<int> count = count_gpus();
  if (!count) return {unknown_gpu(count.error().message)};
  std::vector<DeviceInfo> gpus;
  for (int device = 0; device < *count; ++device) gpus.push_back(describe(device));
  return gpus;
}

Result<DeviceInfo> describe_gpu(int device) {
  const Result<int> count = count_gpus();
  if (!count) return count.error();
  if (device < 0 || device >= *count) {
    return Error{ErrorCode::kInvalidArgument, "There is no GPU cuda:" + std::to_string(device) +
                                                  "; the driver shows " + std::to_string(*count) +
                                                  ", counted from cuda:0."};
  }
  return describe(device);
}

}  // namespace quire::cuda
