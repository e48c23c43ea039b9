#include "kernels/cuda/cuda_backend.h"

#include <cstdlib>
#include <string>
#include <string_view>

#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/gpu_list.h"
#include "kernels/cuda/operations.h"

namespace quire::cuda {
namespace {

/// QUIRE_CUDA_GRAPHS=0 submits every kernel by itself: for profilers and for looking for faults.
bool wants_graphs() {
  const char* const value = std::getenv("QUIRE_CUDA_GRAPHS");
  return value == nullptr || std::string_view(value) != "0";
}

/// Null if this machine has no cuBLAS, with a sentence in `reason`: it would only be faster.
std::unique_ptr<CublasGemm> open_cublas(CommandQueue& queue, std::string& reason) {
  auto cublas = CublasGemm::open(queue);
  if (cublas) return std::move(*cublas);
  reason = "Large matrix products are computed by Quire's own kernels. " + cublas.error().message;
  return nullptr;
}

/// A library built for other GPUs is found out here, and not by the first weight.
Error no_code_for(const CommandQueue& queue, cudaError_t status) {
  const int capability = queue.facts().compute_capability;
  return {ErrorCode::kUnsupported,
          "This build of Quire has no code for GPUs of compute capability " +
              std::to_string(capability / 10) + "." + std::to_string(capability % 10) + " (" +
              cudaGetErrorName(status) +
              "). Build it here, or with -DQUIRE_CUDA_ARCHITECTURES=all."};
}

}  // namespace

Result<std::unique_ptr<Backend>> CudaBackend::create(int device, const BackendOptions& options) {
  Result<DeviceInfo> info = describe_gpu(device);
  if (!info) return info.error();
  if (!info->available) return Error{ErrorCode::kUnsupported, info->reason};
  std::unique_ptr<CudaBackend> backend(new CudaBackend);
  auto queue = CommandQueue::create(device);
  if (!queue) return queue.error();
  if (const cudaError_t status = check_kernels(); status != cudaSuccess) {
    cudaGetLastError();  // Otherwise the next call would report it again.
    return no_code_for(**queue, status);
  }
  backend->m_queue = std::move(*queue);
  auto staging = HostStaging::create(*backend->m_queue);
  if (!staging) return staging.error();
  backend->m_staging = std::move(*staging);
  if (wants_graphs()) backend->m_graphs = std::make_unique<GraphCache>(*backend->m_queue);
  backend->m_packer = std::make_unique<LinearPacker>(*backend->m_queue);
  backend->m_attention = std::make_unique<PagedAttention>(*backend->m_queue);
  backend->m_info = std::move(*info);
  if (!options.batch_invariant) {
    backend->m_cublas = open_cublas(*backend->m_queue, backend->m_info.reason);
    // Keys and values of this mode are not those of the other: what is cached is named after this.
    backend->m_info.description = "fast batches on " + backend->m_info.description;
  }
  return std::unique_ptr<Backend>(std::move(backend));
}

DeviceInfo CudaBackend::info() const {
  DeviceInfo info = m_info;
  info.free_bytes = query_device_memory(*m_queue).usable_bytes;
  return info;
}

// Memory -----------------------------------------------------------------------------------------

Result<std::unique_ptr<DeviceBuffer>> CudaBackend::allocate(size_t bytes) {
  auto buffer = allocate_device(*m_queue, bytes);
  if (!buffer) return buffer;
  m_queue->note(cudaMemsetAsync((*buffer)->data(), 0, bytes, m_queue->stream()), "clearing memory");
  return buffer;
}

Result<std::unique_ptr<DeviceBuffer>> CudaBackend::allocate_host(size_t bytes) {
  return allocate_pinned(*m_queue, bytes);
}

void CudaBackend::upload(void* dst, const void* host_src, size_t bytes) {
  m_staging->upload(dst, host_src, bytes);
}

void CudaBackend::download(void* host_dst, const void* src, size_t bytes) {
  m_staging->download(host_dst, src, bytes);
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

uint64_t CudaBackend::mark() {
  return m_staging->mark();
}

Result<void> CudaBackend::wait_for(uint64_t mark) {
  m_staging->wait_for(mark);
  return m_queue->take_failure();
}

void CudaBackend::launch_graph(uint64_t key, const std::function<void()>& operations) {
  if (m_graphs == nullptr) return operations();
  m_graphs->launch(key, operations);
}

// Operations -------------------------------------------------------------------------------------

Result<std::unique_ptr<LinearWeight>> CudaBackend::pack_linear(
    std::span<const ConstTensorView> parts) {
  return m_packer->pack(parts);
}

void CudaBackend::embed(TensorView out, const LinearWeight& table, ConstTensorView ids,
                        float scale) {
  cuda::embed(*m_queue, out, table, ids, scale);
}

void CudaBackend::linear(TensorView out, ConstTensorView x, const LinearWeight& weight,
                         ConstTensorView bias) {
  cuda::linear(*m_queue, out, x, weight, bias, m_cublas.get());
}

void CudaBackend::rms_norm(TensorView out, ConstTensorView x, ConstTensorView weight, float eps) {
  cuda::rms_norm(*m_queue, out, x, weight, eps);
}

void CudaBackend::add_rms_norm(TensorView out, TensorView residual, ConstTensorView delta,
                               ConstTensorView weight, float eps) {
  cuda::add_rms_norm(*m_queue, out, residual, delta, weight, eps);
}

void CudaBackend::add(TensorView x, ConstTensorView y) {
  cuda::add(*m_queue, x, y);
}

void CudaBackend::scale(TensorView x, float factor) {
  cuda::scale(*m_queue, x, factor);
}

void CudaBackend::soft_cap(TensorView x, float cap) {
  cuda::soft_cap(*m_queue, x, cap);
}

void CudaBackend::rope_cos_sin(TensorView cos_sin, ConstTensorView positions,
                               ConstTensorView inv_freq, float scale) {
  cuda::rope_cos_sin(*m_queue, cos_sin, positions, inv_freq, scale);
}

void CudaBackend::rope_and_store(TensorView q, TensorView k, ConstTensorView v,
                                 ConstTensorView cos_sin, ConstTensorView slot_mapping,
                                 KvLayerView kv) {
  cuda::rope_and_store(*m_queue, q, k, v, cos_sin, slot_mapping, kv);
}

void CudaBackend::begin_attention(const AttentionBatch& batch, const HostAttentionBatch& host) {
  m_attention->begin(batch, host);
}

void CudaBackend::attention(TensorView out, ConstTensorView q, KvLayerView kv,
                            const AttentionBatch& batch, const AttentionParams& params) {
  m_attention->run(out, q, kv, batch, params);
}

void CudaBackend::glu(TensorView out, ConstTensorView gate_up, const GluParams& params) {
  cuda::glu(*m_queue, out, gate_up, params);
}

void CudaBackend::route_experts(TensorView expert_ids, TensorView expert_weights,
                                ConstTensorView router_logits, bool renormalize) {
  cuda::route_experts(*m_queue, expert_ids, expert_weights, router_logits, renormalize);
}

void CudaBackend::linear_experts(TensorView out, ConstTensorView x,
                                 std::span<const LinearWeight* const> experts,
                                 ConstTensorView biases, ConstTensorView expert_ids) {
  cuda::linear_experts(*m_queue, out, x, experts, biases, expert_ids);
}

void CudaBackend::mix_experts(TensorView out, ConstTensorView x, ConstTensorView expert_weights) {
  cuda::mix_experts(*m_queue, out, x, expert_weights);
}

void CudaBackend::gather_rows(TensorView out, ConstTensorView x, ConstTensorView rows) {
  cuda::gather_rows(*m_queue, out, x, rows);
}

void CudaBackend::sample(TensorView token_ids, TensorView logits, const SampleBatch& batch) {
  cuda::sample(*m_queue, *m_staging, token_ids, logits, batch);
}

}  // namespace quire::cuda
