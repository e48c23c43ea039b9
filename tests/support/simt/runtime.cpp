#include "tests/support/simt/runtime.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "kernels/base/check.h"
#include "tests/support/simt/block.h"

namespace simt {
namespace {

/// Longer queues are worked off, or a program that never waits would only pile up work.
constexpr size_t kMaxQueued = 4096;

constinit thread_local int g_device = 0;
constinit thread_local cudaError_t g_last_error = cudaSuccess;

}  // namespace

bool loses_device(cudaError_t error) {
  switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorTensorMemoryLeak:
    case cudaErrorAssert:
    case cudaErrorECCUncorrectable:
    case cudaErrorUnknown:
      return true;
    default:
      return false;
  }
}

namespace {

TensorCores tensor_cores_from_environment() {
  const char* const group = std::getenv("QUIRE_SIMT_TENSOR_CORES");
  if (group == nullptr) return TensorCores::kChain;
  if (std::string_view(group) == "8") return TensorCores::kSumsOfEight;
  CHECK(std::string_view(group) == "16");
  return TensorCores::kSumsOfSixteen;
}

}  // namespace

Runtime& Runtime::instance() {
  // Never destroyed: static objects of tests may still free device memory.
  static auto* const runtime = new Runtime;
  return *runtime;
}

Runtime::Runtime() {
  reset({});
}

void Runtime::reset(const Machine& machine) {
  m_machine = machine;
  const char* const seed = std::getenv("QUIRE_SIMT_SEED");
  if (m_machine.seed == 0 && seed != nullptr) m_machine.seed = std::strtoull(seed, nullptr, 10);
  if (m_machine.tensor_cores == TensorCores::kChain) {
    m_machine.tensor_cores = tensor_cores_from_environment();
  }
  if (const char* const early = std::getenv("QUIRE_SIMT_EARLY_KERNELS"); early != nullptr) {
    m_machine.hides_unfinished_kernels = std::string_view(early) == "1";
  }
  m_devices.clear();
  faults.clear();
  num_calls.clear();
  captures.clear();
  max_dynamic_shared.clear();
  num_kernels = num_early_kernels = 0;
  g_device = 0;
  g_last_error = cudaSuccess;
  m_devices.resize(static_cast<size_t>(machine.num_devices));
  for (int i = 0; i < machine.num_devices; ++i) reset_device(i);
}

void Runtime::reset_device(int index) {
  Device& fresh = device(index);
  fresh = Device();
  fresh.memory =
      std::make_unique<DeviceMemory>(m_machine.memory_bytes, m_machine.is_memory_protected);
  fresh.default_stream = std::make_shared<Stream>();
  fresh.default_stream->device = index;
}

void Runtime::free_pinned(int index) {
  for (auto at = host_memory.begin(); at != host_memory.end();) {
    const auto& [memory, pinned] = *at;
    if (pinned.device == index && !pinned.is_registered) std::free(const_cast<void*>(memory));
    at = pinned.device == index ? host_memory.erase(at) : std::next(at);
  }
}

Device& Runtime::current() {
  return device(g_device);
}

int current_device() {
  return g_device;
}

void set_current_device(int device) {
  g_device = device;
}

cudaError_t take_last_error(bool keep) {
  const cudaError_t status = g_last_error;
  // A lost device goes on failing: its error cannot be taken away.
  if (!keep) g_last_error = cudaSuccess;
  return status;
}

cudaError_t Runtime::leave(cudaError_t status) {
  if (status != cudaSuccess && status != cudaErrorNotReady) g_last_error = status;
  return status;
}

cudaError_t Runtime::enter(const char* function) {
  if (Block::is_running()) {
    std::fprintf(stderr, "simt: a kernel called %s, which only the host can.\n", function);
    std::abort();
  }
  const int call = ++num_calls[function];
  if (m_machine.driver != cudaSuccess) return leave(m_machine.driver);
  for (const Fault& fault : faults) {
    if (fault.function != function) continue;
    if (call != fault.nth && !(fault.stays && call > fault.nth)) continue;
    if (loses_device(fault.error)) lose(g_device, fault.error);
    return leave(fault.error);
  }
  if (is_device(g_device)) return leave(current().lost);
  return cudaSuccess;
}

void Runtime::lose(int index, cudaError_t error) {
  Device& lost = device(index);
  if (lost.lost == cudaSuccess) lost.lost = error;
  // What was queued never runs.
  lost.streams.push_back(lost.default_stream);
  for (const auto& stream : lost.streams) {
    stream->tasks.clear();
    stream->num_done = stream->num_submitted;
  }
  lost.streams.pop_back();
}

std::shared_ptr<Stream> Runtime::find(cudaStream_t handle) {
  if (handle == nullptr) return current().default_stream;
  for (const Device& device : m_devices) {
    for (const auto& stream : device.streams) {
      if (stream.get() == reinterpret_cast<Stream*>(handle)) return stream;
    }
  }
  return nullptr;
}

cudaError_t Runtime::submit(const std::shared_ptr<Stream>& stream, Task task) {
  if (stream->capture != nullptr) {
    Capture& capture = *stream->capture;
    if (capture.is_invalid) return cudaErrorStreamCaptureInvalidated;
    if (task.run) capture.tasks.push_back(std::move(task.run));
    if (stream.get() != capture.origin) capture.branches[stream.get()] = capture.tasks.size();
    return cudaSuccess;
  }
  Device& device = this->device(stream->device);
  const bool is_default = stream == device.default_stream;
  if (is_default) {
    for (const auto& other : device.streams) {
      if (!other->is_blocking) continue;
      if (other->capture != nullptr) {
        other->capture->is_invalid = true;
        return cudaErrorStreamCaptureImplicit;
      }
      task.after.push_back({other, other->num_submitted});
    }
  } else if (stream->is_blocking) {
    task.after.push_back({device.default_stream, device.default_stream->num_submitted});
  }
  stream->tasks.push_back(std::move(task));
  ++stream->num_submitted;
  if (stream->tasks.size() <= kMaxQueued) return cudaSuccess;
  return run_until({stream, stream->num_submitted - kMaxQueued / 2});
}

cudaError_t Runtime::run_until(const StreamPoint& point) {
  const std::shared_ptr<Stream> stream = point.stream;
  Device& device = this->device(stream->device);
  DeviceAccess access(*device.memory);
  while (stream->num_done < point.number && !stream->tasks.empty()) {
    const Task task = std::move(stream->tasks.front());
    stream->tasks.pop_front();
    for (const StreamPoint& other : task.after) {
      const cudaError_t status = run_until(other);
      if (status != cudaSuccess) return status;
    }
    const cudaError_t status = task.run ? task.run() : cudaSuccess;
    if (status != cudaSuccess) lose(stream->device, status);
    if (device.lost != cudaSuccess) return device.lost;
    ++stream->num_done;
  }
  return cudaSuccess;
}

cudaError_t Runtime::run_all(int index) {
  Device& device = this->device(index);
  cudaError_t status = run_until({device.default_stream, device.default_stream->num_submitted});
  for (const auto& stream : device.streams) {
    if (status == cudaSuccess) status = run_until({stream, stream->num_submitted});
  }
  if (status == cudaSuccess) device.memory->check_strips();
  return status;
}

cudaError_t Runtime::refuse_unsafe_call() {
  for (Capture* const capture : captures) {
    if (capture->mode == cudaStreamCaptureModeRelaxed) continue;
    const bool is_own = capture->thread == std::this_thread::get_id();
    if (capture->mode == cudaStreamCaptureModeThreadLocal && !is_own) continue;
    capture->is_invalid = true;
    return cudaErrorStreamCaptureUnsupported;
  }
  return cudaSuccess;
}

cudaError_t Runtime::refuse_to_wait() {
  for (Capture* const capture : captures) {
    if (capture->origin->device != g_device) continue;
    capture->is_invalid = true;
    return cudaErrorStreamCaptureUnsupported;
  }
  return cudaSuccess;
}

int Runtime::owner(const void* address) const {
  for (int i = 0; i < m_machine.num_devices; ++i) {
    if (m_devices[static_cast<size_t>(i)].memory->owns(address)) return i;
  }
  return -1;
}

size_t max_shared_per_block(int compute_capability) {
  // CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
  switch (compute_capability) {
    case 75:
      return 64 * 1024;
    case 80:
    case 87:
      return 163 * 1024;
    case 86:
    case 89:
    case 120:
      return 99 * 1024;
    case 90:
    case 100:
    case 103:
      return 227 * 1024;
    default:
      return 48 * 1024;
  }
}

size_t shared_per_multiprocessor(int compute_capability) {
  const size_t per_block = max_shared_per_block(compute_capability);
  return compute_capability == 75 ? per_block : per_block + 1024;
}

}  // namespace simt
