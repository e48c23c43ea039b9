#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/support/simt/block.h"
#include "tests/support/simt/kernel_names.h"
#include "tests/support/simt/runtime.h"
#include "tests/support/simt/unfinished_kernel.h"

namespace simt {
namespace {

constexpr size_t kDefaultShared = 48 * 1024;

cudaError_t check_shape(const cudaLaunchConfig_t& config, const void* kernel) {
  const dim3& grid = config.gridDim;
  const dim3& block = config.blockDim;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return cudaErrorInvalidConfiguration;
  if (grid.x > 2147483647u || grid.y > 65535u || grid.z > 65535u) {
    return cudaErrorInvalidConfiguration;
  }
  const uint64_t threads = uint64_t{block.x} * block.y * block.z;
  if (threads == 0 || threads > kMaxThreads || block.z > 64) return cudaErrorInvalidConfiguration;
  const auto limit = runtime().max_dynamic_shared.find({simt::current_device(), kernel});
  const size_t fixed = static_shared_bytes(kernel);
  size_t allowed = kDefaultShared - std::min(fixed, kDefaultShared);
  if (limit != runtime().max_dynamic_shared.end()) {
    allowed = std::max(allowed, static_cast<size_t>(limit->second));
  }
  const bool fits = fixed <= kDefaultShared && config.dynamicSmemBytes <= allowed;
  return fits ? cudaSuccess : cudaErrorInvalidValue;
}

bool is_pinned(const char* address) {
  auto pinned = runtime().host_memory.upper_bound(address);
  if (pinned == runtime().host_memory.begin()) return false;
  --pinned;
  return address < static_cast<const char*>(pinned->first) + pinned->second.bytes;
}

/// Whether this is the address of something, as far as the processor is concerned.
bool is_mapped(uintptr_t address) {
  constexpr uintptr_t kPageBytes = 4096;
  // Programs, heaps and stacks lie above; AddressSanitizer has its own pages below, where two small
  // numbers would seem to point.
  constexpr uintptr_t kLeast = uintptr_t{0x5000} << 32;
  if (address < kLeast || address >> 47 != 0) return false;
  // A small number of 32 bits with padding behind it, which may hold half of an old address.
  if (static_cast<uint32_t>(address) < 0x10000) return false;
  return msync(reinterpret_cast<void*>(address / kPageBytes * kPageBytes), 1, MS_ASYNC) == 0;
}

/// A GPU would fault on a pointer to the host's memory; the processor would not. Structures are
/// searched for words that are addresses.
void check_argument(const void* kernel, int device, const ArgumentBytes& argument, size_t index) {
  if (!argument.may_hold_pointers) return;
  for (size_t i = 0; i + sizeof(uintptr_t) <= argument.count; i += sizeof(uintptr_t)) {
    uintptr_t word = 0;
    std::memcpy(&word, static_cast<const char*>(argument.bytes) + i, sizeof word);
    const auto* const pointer = reinterpret_cast<const char*>(word);
    const int owner = runtime().owner(pointer);
    if (owner == device || (owner < 0 && !is_mapped(word)) || is_pinned(pointer)) continue;
    std::fprintf(stderr,
                 "simt: argument %zu of kernel %s points to no memory of device %d (byte %zu: "
                 "%#zx).\n",
                 index, kernel_name(kernel).c_str(), device, i, static_cast<size_t>(word));
    std::abort();
  }
}

cudaError_t run_launch(const Launch& launch, int device_index) {
  static thread_local Block block;
  ++runtime().num_kernels;
  if (launch.begins_early) ++runtime().num_early_kernels;
  const uint64_t seed = runtime().machine().seed;
  Device& device = runtime().device(device_index);
  if (!runtime().machine().hides_unfinished_kernels) {
    return block.run(launch, seed) ? cudaSuccess : cudaErrorLaunchFailure;
  }
  UnfinishedKernel before(*device.memory, std::exchange(device.last_written, {}));
  const MemorySnapshot snapshot(*device.memory);
  const bool has_run = block.run(launch, seed, launch.begins_early ? &before : nullptr);
  device.last_written = snapshot.changes();
  return has_run ? cudaSuccess : cudaErrorLaunchFailure;
}

bool begins_early(const cudaLaunchConfig_t& config) {
  return std::any_of(config.attrs, config.attrs + config.numAttrs, [](const auto& attribute) {
    return attribute.id == cudaLaunchAttributeProgrammaticStreamSerialization &&
           attribute.val.programmaticStreamSerializationAllowed != 0;
  });
}

cudaError_t check_attributes(const cudaLaunchConfig_t& config) {
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config.attrs[i];
    if (attribute.id == cudaLaunchAttributeCooperative && attribute.val.cooperative != 0) {
      return cudaErrorNotSupported;
    }
  }
  return cudaSuccess;
}

}  // namespace

cudaError_t submit_launch(const cudaLaunchConfig_t& config, const void* kernel,
                          const ArgumentBytes* arguments, size_t num_arguments,
                          std::function<void()> thread) {
  const Entry entry("cudaLaunchKernelExC");
  if (entry.has_failed()) return entry.status();
  const auto stream = runtime().find(config.stream);
  if (stream == nullptr || stream->device != current_device()) {
    return entry.leave(cudaErrorInvalidResourceHandle);
  }
  cudaError_t status = check_shape(config, kernel);
  if (status == cudaSuccess) status = check_attributes(config);
  if (status != cudaSuccess) return entry.leave(status);
  for (size_t i = 0; i < num_arguments; ++i) {
    check_argument(kernel, stream->device, arguments[i], i);
  }
  const auto launch = std::make_shared<const Launch>(
      Launch{kernel, config.gridDim, config.blockDim, config.dynamicSmemBytes, std::move(thread),
             begins_early(config)});
  const int device = stream->device;
  return entry.leave(
      runtime().submit(stream, {[launch, device] { return run_launch(*launch, device); }, {}}));
}

cudaError_t occupancy(int* num_blocks, const void* kernel, int block_size, size_t shared_bytes) {
  const Entry entry("cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  if (entry.has_failed()) return entry.status();
  if (num_blocks == nullptr || kernel == nullptr || block_size <= 0) {
    return entry.leave(cudaErrorInvalidValue);
  }
  const cudaDeviceProp properties = properties_of(current_device());
  const int threads = (block_size + warpSize - 1) / warpSize * warpSize;
  const size_t by_threads = static_cast<size_t>(properties.maxThreadsPerMultiProcessor / threads);
  const size_t by_shared =
      properties.sharedMemPerMultiprocessor /
      (shared_bytes + static_shared_bytes(kernel) + properties.reservedSharedMemPerBlock);
  const size_t most = static_cast<size_t>(properties.maxBlocksPerMultiProcessor);
  *num_blocks = static_cast<int>(std::min({by_threads, by_shared, most}));
  return cudaSuccess;
}

}  // namespace simt

cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  const simt::Entry entry("cudaFuncSetAttribute");
  if (entry.has_failed()) return entry.status();
  if (kernel == nullptr) return entry.leave(cudaErrorInvalidDeviceFunction);
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  const size_t limit = simt::max_shared_per_block(simt::runtime().machine().compute_capability);
  const size_t fixed = simt::static_shared_bytes(kernel);
  if (value < 0 || static_cast<size_t>(value) + fixed > limit) {
    return entry.leave(cudaErrorInvalidValue);
  }
  simt::runtime().max_dynamic_shared[{simt::current_device(), kernel}] = value;
  return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel) {
  const simt::Entry entry("cudaFuncGetAttributes");
  if (entry.has_failed()) return entry.status();
  if (attributes == nullptr) return entry.leave(cudaErrorInvalidValue);
  if (kernel == nullptr) return entry.leave(cudaErrorInvalidDeviceFunction);
  const int binary = simt::runtime().machine().compute_capability;
  const auto limit = simt::runtime().max_dynamic_shared.find({simt::current_device(), kernel});
  *attributes = {};
  attributes->sharedSizeBytes = simt::static_shared_bytes(kernel);
  attributes->maxThreadsPerBlock = simt::kMaxThreads;
  attributes->numRegs = 32;
  const int compiled_for = simt::runtime().machine().code_architecture;
  attributes->ptxVersion = compiled_for != 0 ? compiled_for : binary;
  attributes->binaryVersion = binary;
  attributes->maxDynamicSharedSizeBytes =
      limit == simt::runtime().max_dynamic_shared.end() ? 48 * 1024 : limit->second;
  return cudaSuccess;
}
