#include <cstdio>
#include <cstring>

#include "tests/support/simt/block.h"
#include "tests/support/simt/runtime.h"

using simt::Entry;
using simt::runtime;

namespace {

constexpr int kVersion = 12040;
constexpr int kMaxBlocks = 32;

int threads_per_multiprocessor(int compute_capability) {
  if (compute_capability == 75) return 1024;
  return compute_capability == 86 || compute_capability == 89 ? 1536 : 2048;
}

}  // namespace

cudaDeviceProp simt::properties_of(int device) {
  const Machine& machine = runtime().machine();
  cudaDeviceProp properties = {};
  std::snprintf(properties.name, sizeof properties.name, "SIMT harness %d", device);
  properties.uuid.bytes[15] = static_cast<char>(device + 1);
  properties.totalGlobalMem = machine.memory_bytes;
  properties.sharedMemPerBlock = 48 * 1024;
  properties.regsPerBlock = 65536;
  properties.warpSize = warpSize;
  properties.maxThreadsPerBlock = kMaxThreads;
  const int threads[] = {1024, 1024, 64};
  const int blocks[] = {2147483647, 65535, 65535};
  std::memcpy(properties.maxThreadsDim, threads, sizeof threads);
  std::memcpy(properties.maxGridSize, blocks, sizeof blocks);
  properties.major = machine.compute_capability / 10;
  properties.minor = machine.compute_capability % 10;
  properties.multiProcessorCount = machine.num_multiprocessors;
  properties.pciBusID = device + 1;
  properties.memoryBusWidth = 256;
  properties.l2CacheSize = 4 << 20;
  properties.maxThreadsPerMultiProcessor = threads_per_multiprocessor(machine.compute_capability);
  properties.sharedMemPerMultiprocessor = shared_per_multiprocessor(machine.compute_capability);
  properties.sharedMemPerBlockOptin = max_shared_per_block(machine.compute_capability);
  properties.reservedSharedMemPerBlock = 1024;
  properties.maxBlocksPerMultiProcessor = kMaxBlocks;
  return properties;
}

cudaError_t cudaGetDeviceCount(int* count) {
  const Entry entry("cudaGetDeviceCount");
  if (entry.has_failed()) return entry.status();
  *count = runtime().machine().num_devices;
  return entry.leave(*count == 0 ? cudaErrorNoDevice : cudaSuccess);
}

cudaError_t cudaSetDevice(int device) {
  const Entry entry("cudaSetDevice");
  // One lost device is no reason not to go to another.
  if (entry.has_failed() && entry.status() != runtime().current().lost) return entry.status();
  if (!runtime().is_device(device)) return entry.leave(cudaErrorInvalidDevice);
  simt::set_current_device(device);
  return entry.leave(runtime().current().lost);
}

cudaError_t cudaGetDevice(int* device) {
  const Entry entry("cudaGetDevice");
  if (entry.has_failed()) return entry.status();
  *device = simt::current_device();
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  const Entry entry("cudaDeviceGetAttribute");
  if (entry.has_failed()) return entry.status();
  if (!runtime().is_device(device)) return entry.leave(cudaErrorInvalidDevice);
  const cudaDeviceProp properties = simt::properties_of(device);
  const auto number = [](size_t x) { return static_cast<int>(x); };
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      *value = properties.maxThreadsPerBlock;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      *value = number(properties.sharedMemPerBlock);
      break;
    case cudaDevAttrWarpSize:
      *value = properties.warpSize;
      break;
    case cudaDevAttrMaxRegistersPerBlock:
      *value = properties.regsPerBlock;
      break;
    case cudaDevAttrClockRate:
      *value = 1000000;
      break;
    case cudaDevAttrMultiProcessorCount:
      *value = properties.multiProcessorCount;
      break;
    case cudaDevAttrIntegrated:
      *value = properties.integrated;
      break;
    case cudaDevAttrComputeMode:
      *value = 0;
      break;
    case cudaDevAttrMemoryClockRate:
      *value = 1000000;
      break;
    case cudaDevAttrGlobalMemoryBusWidth:
      *value = properties.memoryBusWidth;
      break;
    case cudaDevAttrL2CacheSize:
      *value = properties.l2CacheSize;
      break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      *value = properties.maxThreadsPerMultiProcessor;
      break;
    case cudaDevAttrUnifiedAddressing:
      *value = 1;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = properties.major;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *value = properties.minor;
      break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *value = number(properties.sharedMemPerMultiprocessor);
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = number(properties.sharedMemPerBlockOptin);
      break;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      *value = kMaxBlocks;
      break;
    case cudaDevAttrReservedSharedMemoryPerBlock:
      *value = 1024;
      break;
    default:
      return entry.leave(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  const Entry entry("cudaGetDeviceProperties");
  if (entry.has_failed()) return entry.status();
  if (!runtime().is_device(device)) return entry.leave(cudaErrorInvalidDevice);
  *properties = simt::properties_of(device);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  const Entry entry("cudaDeviceGetPCIBusId");
  if (entry.has_failed()) return entry.status();
  if (!runtime().is_device(device)) return entry.leave(cudaErrorInvalidDevice);
  const int written =
      std::snprintf(text, static_cast<size_t>(length), "0000:%02x:00.0", device + 1);
  return entry.leave(written < length ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaDeviceSynchronize() {
  const Entry entry("cudaDeviceSynchronize");
  if (entry.has_failed()) return entry.status();
  const cudaError_t refused = runtime().refuse_to_wait();
  if (refused != cudaSuccess) return entry.leave(refused);
  return entry.leave(runtime().run_all(simt::current_device()));
}

cudaError_t cudaDeviceReset() {
  const Entry entry("cudaDeviceReset");
  runtime().reset_device(simt::current_device());
  runtime().free_pinned(simt::current_device());
  return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int* can_access, int device, int peer) {
  const Entry entry("cudaDeviceCanAccessPeer");
  if (entry.has_failed()) return entry.status();
  if (!runtime().is_device(device) || !runtime().is_device(peer)) {
    return entry.leave(cudaErrorInvalidDevice);
  }
  *can_access = 0;
  return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
  const Entry entry("cudaDeviceEnablePeerAccess");
  if (entry.has_failed()) return entry.status();
  return entry.leave(cudaErrorInvalidDevice);
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = runtime().machine().driver == cudaSuccess ? kVersion : 0;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = kVersion;
  return cudaSuccess;
}

cudaError_t cudaGetLastError() {
  return simt::take_last_error(false);
}

cudaError_t cudaPeekAtLastError() {
  return simt::take_last_error(true);
}
