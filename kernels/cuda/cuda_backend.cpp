#include "kernels/cuda/cuda_backend.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "kernels/cuda/attention/attention_kernels.h"
#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/operations.h"

namespace quire::cuda {
namespace {

/// QUIRE_CUDA_GRAPHS=0 submits every kernel by itself, for profiling and debugging.
bool wants_graphs() {
  const char* const value = std::getenv("QUIRE_CUDA_GRAPHS");
  return value == nullptr || std::string_view(value) != "0";
}

/// Null, with the reason in `reason`, if this machine has no cuBLAS, which would only be faster.
std::unique_ptr<CublasGemm> open_cublas(CommandQueue& queue, std::string& reason) {
  auto cublas = CublasGemm::open(queue);
  if (cublas) return std::move(*cublas);
  reason = "Large matrix products are computed by Quire's own kernels. " + cublas.error().message;
  return nullptr;
}

}  // namespace

Result<std::unique_ptr<Backend>> CudaBackend::create(int device, const BackendOptions& options) {
  Result<DeviceInfo> info = describe_gpu(device);
  if (!info) return info.error();
  if (!info->available) return Error{ErrorCode::kUnsupported, info->reason};
  std::unique_ptr<CudaBackend> backend(new CudaBackend);
  auto queue = CommandQueue::create(device);
  if (!queue) return queue.error();
  backend->m_queue = std::move(*queue);
  auto staging = HostStaging::create(*backend->m_queue);
  if (!staging) return staging.error();
  backend->m_staging = std::move(*staging);
  if (wants_graphs()) {
    backend->m_graphs = std::make_unique<GraphCache>(std::vector{backend->m_queue.get()});
  }
  backend->m_packer = std::make_unique<LinearPacker>(*backend->m_queue);
  backend->m_attention = std::make_unique<PagedAttention>(*backend->m_queue);
  backend->m_info = std::move(*info);
  // Cached keys and values are stored under the description: what changes them is part of it.
  const GpuFacts& facts = backend->m_queue->facts();
  if (facts.uses_int8_gemm != uses_int8_gemm(facts.compute_capability)) {
    backend->m_info.description = "compatibility code on " + backend->m_info.description;
  }
  if (!options.batch_invariant) {
    backend->m_cublas = open_cublas(*backend->m_queue, backend->m_info.reason);
    backend->m_info.description = "fast batches on " + backend->m_info.description;
  }
  return std::unique_ptr<Backend>(std::move(backend));
}

DeviceInfo CudaBackend::info() const {
  DeviceInfo info = m_info;
  info.free_bytes = query_device_memory(*m_queue).usable_bytes;
  return info;
}

Result<std::unique_ptr<DeviceBuffer>> CudaBackend::allocate(size_t bytes) {
  auto buffer = allocate_device(*m_queue, bytes);
  if (!buffer) return buffer;
  m_queue->note(cudaMemsetAsync((*buffer)->data(), 0, bytes, m_queue->stream()), "clearing memory");
  return buffer;
}

Result<void> CudaBackend::reserve_scratch(const StepLimits& limits) {
  const int64_t dim = std::max(limits.head_dim, limits.value_dim);
  if (dim <= kMaxHeadDim) return {};
  return make_error(ErrorCode::kUnsupported,
                    "This model's attention has %1 dimensions; the device %2 computes at most %3. "
                    "Choose the device \"cpu\".",
                    {std::to_string(dim), m_info.name, std::to_string(kMaxHeadDim)});
}

void CudaBackend::copy(void* dst, const void* src, size_t bytes) {
  if (bytes == 0 || m_queue->has_failed()) return;
  m_queue->note(cudaMemcpyAsync(dst, src, bytes, cudaMemcpyDeviceToDevice, m_queue->stream()),
                "copy");
}

Result<void> CudaBackend::synchronize() {
  m_queue->note(cudaStreamSynchronize(m_queue->stream()), "waiting for its work");
  m_staging->finish_downloads();
  return m_queue->take_failure();
}

Result<void> CudaBackend::wait_for(uint64_t mark) {
  m_staging->wait_for(mark);
  return m_queue->take_failure();
}

void CudaBackend::launch_graph(uint64_t key, const std::function<void()>& operations) {
  if (m_graphs == nullptr) return operations();
  m_graphs->launch(key, operations);
}

Result<std::unique_ptr<DeviceLinks>> CudaBackend::connect(std::span<Backend* const> devices) {
  const Result<NcclLibrary> nccl = load_nccl();
  if (!nccl) return nccl.error();
  return connect_by(*nccl, devices);
}

Result<std::unique_ptr<DeviceLinks>> CudaBackend::connect_by(const NcclLibrary& nccl,
                                                             std::span<Backend* const> devices) {
  std::vector<CommandQueue*> queues;
  bool captures = true;
  for (Backend* const device : devices) {
    auto& backend = static_cast<CudaBackend&>(*device);
    captures = captures && backend.captures_graphs();
    queues.push_back(backend.m_queue.get());
  }
  return NcclLinks::create(std::move(queues), nccl, captures);
}

}  // namespace quire::cuda
