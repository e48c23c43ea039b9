#include "kernels/backend.h"
#include "kernels/base/processor_cores.h"
#include "kernels/base/weight_parts.h"
#include "kernels/cpu/scratch_sizes.h"
#include "kernels/cuda/weights/segment_bytes.h"

namespace quire {
namespace {

uint64_t gpu_packed_bytes(std::span<const ConstTensorView> all_parts) {
  const WeightParts of = WeightParts::of(all_parts);
  const std::span<const ConstTensorView> parts = of.matrices;
  int64_t bytes = of.vector_bytes();
  for (size_t i = 0; i < parts.size();) {
    const DType dtype = parts[i].dtype();
    int64_t num_outputs = 0;
    for (; i < parts.size() && parts[i].dtype() == dtype; ++i) num_outputs += parts[i].dim(0);
    bytes += cuda::segment_bytes(dtype, num_outputs, parts[0].dim(1));
  }
  return static_cast<uint64_t>(bytes);
}

}  // namespace

uint64_t MemoryModel::packed_bytes(std::span<const ConstTensorView> parts) {
  if (m_device.has_own_memory) return gpu_packed_bytes(parts);
  const bool has_bf16 = m_device.computes_in_bf16;
  cpu::add_weight(m_formats, parts, true, has_bf16);
  return cpu::packed_weight_bytes(parts, has_bf16);
}

uint64_t MemoryModel::scratch_bytes(const StepLimits& limits) const {
  if (m_device.has_own_memory) return 0;
  const int num_threads = m_num_threads > 0 ? m_num_threads : num_usable_cores();
  return cpu::scratch_sizes(limits, m_formats).total(num_threads);
}

}  // namespace quire
