#include "kernels/cpu/cpu_backend.h"

#include "kernels/cpu/cpu_features.h"
#include "kernels/cpu/scratch_sizes.h"

namespace quire::cpu {

CpuBackend::CpuBackend(const CpuKernels& kernels, int num_threads, bool quantize_activations)
    : m_kernels(kernels),
      m_quantizes_activations(quantize_activations),
      m_pool(num_threads),
      m_tunings(default_tunings(kernels)),
      m_thread_scratch(static_cast<size_t>(num_threads)),
      m_samplers(static_cast<size_t>(num_threads)),
      m_max_state_floats(kMaxStateFloats) {}

DeviceInfo CpuBackend::describe(const CpuKernels& kernels, int num_threads,
                                bool quantize_activations) {
  DeviceInfo info;
  info.name = "cpu";
  info.description = processor_name() + ", " + kernels.label + ", " + std::to_string(num_threads) +
                     (num_threads == 1 ? " thread" : " threads");
  info.available = true;
  info.keys_by_dimension = true;
  info.computes_in_bf16 = quantize_activations && kernels.linear_bf16 != nullptr;
  info.kv_dtype = info.computes_in_bf16 ? DType::kBF16 : DType::kF16;
  query_memory(info.total_bytes, info.free_bytes);
  return info;
}

DeviceInfo CpuBackend::info() const {
  return describe(m_kernels, m_pool.num_threads(), m_quantizes_activations);
}

Result<void> CpuBackend::grow(std::unique_ptr<DeviceBuffer>& buffer, size_t bytes) {
  if (buffer != nullptr && buffer->size_bytes() >= bytes) return {};
  Result<std::unique_ptr<DeviceBuffer>> grown = allocate_buffer(bytes);
  if (!grown) return grown.error();
  buffer = std::move(*grown);
  return {};
}

Result<void> CpuBackend::reserve_scratch(const StepLimits& limits) {
  m_weight_memory.close();
  apply_tunings();
  const ScratchSizes sizes = scratch_sizes(limits, m_weight_formats);
  const std::pair<std::unique_ptr<DeviceBuffer>*, size_t> shared[] = {
      {&m_int8_chunks, sizes.int8},
      {&m_bf16_chunks, sizes.bf16},
      {&m_f32_chunks, sizes.f32},
      {&m_attention_states, sizes.states}};
  for (const auto& [buffer, bytes] : shared) {
    if (bytes == 0) continue;
    if (auto grown = grow(*buffer, bytes); !grown) return grown;
  }
  for (std::unique_ptr<DeviceBuffer>& buffer : m_thread_scratch) {
    if (auto grown = grow(buffer, sizes.thread); !grown) return grown;
  }
  m_max_state_floats = static_cast<int64_t>(sizes.states / sizeof(float));
  return {};
}

}  // namespace quire::cpu
