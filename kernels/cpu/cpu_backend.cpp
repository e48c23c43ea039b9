#include "kernels/cpu/cpu_backend.h"

#include <cstring>

#include "kernels/cpu/cpu_features.h"
#include "kernels/cpu/cpu_memory.h"

namespace quire::cpu {

CpuBackend::CpuBackend(const CpuKernels& kernels, int num_threads, bool round_inputs)
    : m_kernels(kernels),
      m_rounds_inputs(round_inputs),
      m_pool(num_threads),
      m_scratch(static_cast<size_t>(num_threads)) {}

DeviceInfo CpuBackend::describe(const CpuKernels& kernels, int num_threads, bool round_inputs) {
  DeviceInfo info;
  info.name = "cpu";
  info.description = processor_name() + ", " + kernels.label + ", " + std::to_string(num_threads) +
                     (num_threads == 1 ? " thread" : " threads");
  info.available = true;
  info.keys_by_dimension = true;
  info.rounds_to_bf16 = round_inputs && kernels.linear_bf16 != nullptr;
  info.kv_dtype = info.rounds_to_bf16 ? DType::kBF16 : DType::kF16;
  query_memory(info.total_bytes, info.free_bytes);
  return info;
}

DeviceInfo CpuBackend::info() const {
  return describe(m_kernels, m_pool.num_threads(), m_rounds_inputs);
}

Result<std::unique_ptr<DeviceBuffer>> CpuBackend::allocate(size_t bytes) {
  return allocate_buffer(bytes);
}

void CpuBackend::upload(void* dst, const void* host_src, size_t bytes) {
  copy(dst, host_src, bytes);
}

void CpuBackend::download(void* host_dst, const void* src, size_t bytes) {
  copy(host_dst, src, bytes);
}

void CpuBackend::copy(void* dst, const void* src, size_t bytes) {
  if (bytes > 0) std::memcpy(dst, src, bytes);
}

void CpuBackend::grow(std::unique_ptr<DeviceBuffer>& buffer, size_t bytes) {
  if (buffer != nullptr && buffer->size_bytes() >= bytes) return;
  Result<std::unique_ptr<DeviceBuffer>> grown = allocate_buffer(bytes);
  CHECK(grown.has_value());
  buffer = std::move(*grown);
}

float* CpuBackend::scratch(int thread, size_t num_floats) {
  std::unique_ptr<DeviceBuffer>& buffer = m_scratch[static_cast<size_t>(thread)];
  grow(buffer, num_floats * sizeof(float));
  return static_cast<float*>(buffer->data());
}

}  // namespace quire::cpu
