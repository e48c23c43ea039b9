#include "kernels/cuda/command_queue.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace quire::cuda {
namespace {

/// Workspaces grow in steps of this, so that a slowly growing batch does not allocate each time.
constexpr size_t kWorkspaceStep = size_t{8} << 20;

int attribute(cudaDeviceAttr which, int device, cudaError_t& status) {
  int value = 0;
  const cudaError_t asked = cudaDeviceGetAttribute(&value, which, device);
  if (status == cudaSuccess) status = asked;
  return value;
}

/// Its attributes are those of the library's code.
__global__ void code_probe_kernel() {}

/// The architecture of the code that the GPU runs (ptxVersion): an older one than the GPU's if the
/// driver has compiled it from PTX.
int code_architecture(cudaError_t& status) {
  cudaFuncAttributes attributes = {};
  const cudaError_t asked =
      cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(code_probe_kernel));
  if (status == cudaSuccess) status = asked;
  return attributes.ptxVersion;
}

/// Programmatic dependent launch, in captured graphs too. QUIRE_CUDA_EARLY_KERNELS=0 switches it
/// off.
bool allows_early_kernels(int architecture, cudaError_t& status) {
  constexpr int kFirstDriver = 12040;  // CUDA 12.4, the first toolkit that Quire is built with.
  const char* const value = std::getenv("QUIRE_CUDA_EARLY_KERNELS");
  if (architecture < 90 || (value != nullptr && std::string_view(value) == "0")) return false;
  int driver = 0;
  const cudaError_t asked = cudaDriverGetVersion(&driver);
  if (status == cudaSuccess) status = asked;
  return driver >= kFirstDriver;
}

cudaError_t read_facts(int device, GpuFacts& facts) {
  cudaError_t status = cudaSuccess;
  facts.device = device;
  facts.num_multiprocessors = attribute(cudaDevAttrMultiProcessorCount, device, status);
  facts.compute_capability = 10 * attribute(cudaDevAttrComputeCapabilityMajor, device, status) +
                             attribute(cudaDevAttrComputeCapabilityMinor, device, status);
  facts.max_shared_bytes =
      static_cast<size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device, status));
  facts.has_bf16_mma = facts.compute_capability >= 80;
  const int architecture = code_architecture(status);
  facts.allows_early_kernels = allows_early_kernels(architecture, status);
  facts.uses_int8_gemm = uses_int8_gemm(architecture);
  return status;
}

bool is_missing_code(cudaError_t status) {
  return status == cudaErrorNoKernelImageForDevice || status == cudaErrorInvalidDeviceFunction ||
         status == cudaErrorInvalidKernelImage || status == cudaErrorUnsupportedPtxVersion;
}

/// The error if the library was built for other GPUs.
Error no_code_for(int capability, cudaError_t status) {
  return {ErrorCode::kUnsupported,
          "This build of Quire has no code for GPUs of compute capability " +
              std::to_string(capability / 10) + "." + std::to_string(capability % 10) + " (" +
              cudaGetErrorName(status) +
              "). Build it here, or with -DQUIRE_CUDA_ARCHITECTURES=all."};
}

/// Counts the queues of each device in this process. A lost device is lost for all of them. It is
/// reset when the last of its queues is destroyed, because a reset frees everything on the device.
class DeviceUsers {
 public:
  static void enter(int device) {
    const std::lock_guard lock(mutex());
    ++users()[device].count;
  }

  /// The device must be the thread's current one.
  static void leave(int device, bool is_lost) {
    const std::lock_guard lock(mutex());
    User& user = users()[device];
    user.is_lost = user.is_lost || is_lost;
    if (--user.count > 0 || !user.is_lost) return;
    // Every call on a lost device fails, but cudaGetDevice still returns the current device.
    int current = device;
    static_cast<void>(cudaGetDevice(&current));
    if (current == device) cudaDeviceReset();
    user.is_lost = false;
  }

 private:
  struct User {
    int count = 0;
    bool is_lost = false;
  };
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  static std::map<int, User>& users() {
    static std::map<int, User> all;
    return all;
  }
};

}  // namespace

Error cuda_error(cudaError_t status, const char* operation) {
  const bool is_memory = status == cudaErrorMemoryAllocation;
  return make_error(is_memory ? ErrorCode::kOutOfMemory : ErrorCode::kDevice,
                    "The GPU failed in %1: %2",
                    {operation, std::string(cudaGetErrorString(status)) + " (" +
                                    cudaGetErrorName(status) + ")."});
}

bool cuda_is_sticky(cudaError_t status) {
  switch (status) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorAssert:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorContextIsDestroyed:
    case cudaErrorDeviceUninitialized:
    case cudaErrorExternalDevice:
    case cudaErrorMpsClientTerminated:
    case cudaErrorUnknown:
      return true;
    default:
      return false;
  }
}

Result<std::unique_ptr<CommandQueue>> CommandQueue::create(int device) {
  std::unique_ptr<CommandQueue> queue(new CommandQueue);
  queue->m_facts.device = device;
  DeviceUsers::enter(device);
  cudaError_t status = cudaSetDevice(device);
  if (status == cudaSuccess) status = read_facts(device, queue->m_facts);
  if (status == cudaSuccess) {
    status = cudaStreamCreateWithFlags(&queue->m_stream, cudaStreamNonBlocking);
  }
  if (status != cudaSuccess) {
    cudaGetLastError();  // Clears the error: the next call would report it again.
    return is_missing_code(status) ? no_code_for(queue->m_facts.compute_capability, status)
                                   : cuda_error(status, "its start");
  }
  return std::unique_ptr<CommandQueue>(std::move(queue));
}

CommandQueue::~CommandQueue() {
  activate();
  if (m_stream != nullptr) note(cudaStreamSynchronize(m_stream), "its end");
  if (m_workspace != nullptr) note(cudaFree(m_workspace), "its end");
  if (m_stream != nullptr) note(cudaStreamDestroy(std::exchange(m_stream, nullptr)), "its end");
  DeviceUsers::leave(m_facts.device, m_is_lost);
}

void CommandQueue::activate() {
  note(cudaSetDevice(m_facts.device), "choosing the GPU");
}

void CommandQueue::note(cudaError_t status, const char* operation) {
  if (status == cudaSuccess) return;
  // Also if an earlier failure, after which the device could go on, has not been taken yet.
  m_is_lost = m_is_lost || cuda_is_sticky(status);
  if (m_has_failed) return;
  m_has_failed = true;
  m_failure = cuda_error(status, operation);
  cudaGetLastError();  // Clears the error: the next call would report it again.
  // Newer versions of CUDA have more errors that lose the context: every call then fails with it.
  // This one is also allowed while a step is captured.
  cudaStreamCaptureStatus capture;
  const cudaError_t again = cudaStreamIsCapturing(m_stream, &capture);
  if (again == cudaSuccess) return;
  m_is_lost = m_is_lost || again == status;
  cudaGetLastError();
}

Result<void> CommandQueue::take_failure() {
  if (!m_has_failed) return {};
  if (!m_is_lost) m_has_failed = false;
  return m_failure;
}

void CommandQueue::raise_shared_limit(const void* kernel, const char* operation) {
  if (!m_raised_kernels.insert(kernel).second) return;
  cudaFuncAttributes attributes = {};
  note(cudaFuncGetAttributes(&attributes, kernel), operation);
  if (m_has_failed) return;
  const auto limit = static_cast<int>(m_facts.max_shared_bytes - attributes.sharedSizeBytes);
  note(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, limit), operation);
}

int CommandQueue::resident_blocks(const void* kernel, int threads, size_t shared_bytes,
                                  const char* operation) {
  const auto [found, is_new] = m_resident_blocks.try_emplace({kernel, shared_bytes}, 1);
  if (!is_new) return found->second;
  activate();  // Attributes are the current device's.
  raise_shared_limit(kernel, operation);
  int blocks = 0;
  note(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared_bytes),
       operation);
  found->second = std::max(1, blocks);
  return found->second;
}

bool CommandQueue::may_begin_early() const {
  return m_can_last_be_followed && m_facts.allows_early_kernels;
}

void* CommandQueue::workspace(size_t bytes) {
  if (bytes <= m_workspace_bytes) return m_workspace;
  const size_t grown = (bytes + kWorkspaceStep - 1) / kWorkspaceStep * kWorkspaceStep;
  // Submitted operations may still use the old workspace.
  note(cudaStreamSynchronize(stream()), "growing the workspace");
  if (m_workspace != nullptr) {
    cudaFree(m_workspace);
    note_freed_memory();
  }
  m_workspace = nullptr;
  m_workspace_bytes = 0;
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, grown);
  note(status, "growing the workspace");
  if (status != cudaSuccess) return nullptr;
  m_workspace = memory;
  m_workspace_bytes = grown;
  return m_workspace;
}

}  // namespace quire::cuda
