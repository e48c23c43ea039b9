#include "engine/memory/measuring_backend.h"

#include <algorithm>
#include <utility>

#include "engine/memory/host_memory.h"

namespace quire {
namespace {

constexpr uint64_t kHostPageBytes = 4096;
constexpr uint64_t kGpuPageBytes = uint64_t{2} << 20;
/// Smaller pieces of GPU memory share pages.
constexpr uint64_t kGpuSharedBytes = uint64_t{1} << 20;
constexpr uint64_t kGpuAlignment = 512;

constexpr uint64_t kBf16Inputs = 32;

bool is_half(DType dtype) {
  return dtype == DType::kF16 || dtype == DType::kBF16;
}

/// Of parts of one dtype, one below the other: kernels/cpu/panel_layout.h.
uint64_t panel_bytes(DType dtype, uint64_t num_outputs, int64_t num_inputs, bool pairs_halves) {
  constexpr uint64_t kPanelColumns = 64;
  const bool in_pairs = pairs_halves && is_half(dtype);
  const auto inputs = static_cast<uint64_t>(num_inputs);
  return round_up(num_outputs, kPanelColumns) *
         (in_pairs ? round_up(inputs, kBf16Inputs) * sizeof(uint16_t)
                   : static_cast<uint64_t>(dtype_span_bytes(dtype, num_inputs)));
}

/// The same on a GPU: kernels/cuda/weights/packed_weight.h.
uint64_t unit_bytes(DType dtype, uint64_t num_outputs, int64_t num_inputs) {
  constexpr uint64_t kUnitOutputs = 16, kSegmentAlignment = 256;
  const auto inputs = static_cast<uint64_t>(num_inputs);
  if (dtype == DType::kF32) {
    return round_up(num_outputs * round_up(inputs, 4) * sizeof(float), kSegmentAlignment);
  }
  const uint64_t unit_inputs = dtype_block_elements(dtype) > 64 ? 256 : 64;
  const auto padded_inputs = static_cast<int64_t>(round_up(inputs, unit_inputs));
  const auto row_bytes = static_cast<uint64_t>(dtype_span_bytes(dtype, padded_inputs));
  return round_up(round_up(num_outputs, kUnitOutputs) * row_bytes, kSegmentAlignment);
}

/// Inputs as 8-bit codes, a scale of each 32 and a sum of each 16: kernels/cpu/cpu_kernels.h.
constexpr uint64_t kInt8ChunkBytes = 320;
constexpr uint64_t kChunkInputs = 256;
/// Rounded inputs of so many rows take the room of an odd number: kernels/cpu/linear_rounded.cpp.
uint64_t rounded_rows(int64_t num_rows) {
  return static_cast<uint64_t>(num_rows) | 1;
}

class MeasuredWeight final : public LinearWeight {
 public:
  MeasuredWeight(std::unique_ptr<LinearWeight> shape, std::span<const ConstTensorView> parts)
      : m_shape(std::move(shape)) {
    for (const ConstTensorView& part : parts) {
      m_has_quantized |= is_quantized(part.dtype());
      m_has_halves |= is_half(part.dtype());
    }
  }
  int64_t num_outputs() const override { return m_shape->num_outputs(); }
  int64_t num_inputs() const override { return m_shape->num_inputs(); }
  size_t size_bytes() const override { return m_shape->size_bytes(); }
  bool has_quantized() const { return m_has_quantized; }
  bool has_halves() const { return m_has_halves; }

 private:
  std::unique_ptr<LinearWeight> m_shape;
  bool m_has_quantized = false;
  bool m_has_halves = false;
};

bool has_any(std::span<const LinearWeight* const> experts, bool (MeasuredWeight::*has)() const) {
  return std::ranges::any_of(experts, [has](const LinearWeight* expert) {
    return (static_cast<const MeasuredWeight*>(expert)->*has)();
  });
}

}  // namespace

DeviceInfo MeasuringBackend::info() const {
  DeviceInfo info = m_device;
  info.free_bytes -= std::min(info.free_bytes, m_taken + m_counted);
  return info;
}

bool MeasuringBackend::keeps_kv(DType dtype) const {
  return m_device.has_own_memory || dtype == DType::kI8 || NullBackend::keeps_kv(dtype);
}

Result<std::unique_ptr<DeviceBuffer>> MeasuringBackend::allocate(size_t bytes) {
  count(bytes);
  return NullBackend::allocate(bytes);
}

Result<std::unique_ptr<LinearWeight>> MeasuringBackend::pack_linear(
    std::span<const ConstTensorView> parts) {
  uint64_t bytes = 0;
  // Neighbouring parts of one dtype are one.
  for (size_t i = 0; i < parts.size();) {
    const DType dtype = parts[i].dtype();
    uint64_t num_outputs = 0;
    for (; i < parts.size() && parts[i].dtype() == dtype; ++i) {
      num_outputs += static_cast<uint64_t>(parts[i].dim(0));
    }
    const int64_t num_inputs = parts[0].dim(1);
    bytes += m_device.has_own_memory
                 ? unit_bytes(dtype, num_outputs, num_inputs)
                 : panel_bytes(dtype, num_outputs, num_inputs, m_device.rounds_to_bf16);
  }
  count(bytes);
  auto shape = NullBackend::pack_linear(parts);
  if (!shape) return shape.error();
  return std::unique_ptr<LinearWeight>(std::make_unique<MeasuredWeight>(std::move(*shape), parts));
}

void MeasuringBackend::linear(TensorView out, ConstTensorView, const LinearWeight& weight,
                              ConstTensorView) {
  keep_inputs(weight, out.dim(0));
}

void MeasuringBackend::linear_experts(TensorView out, ConstTensorView x,
                                      std::span<const LinearWeight* const> experts, ConstTensorView,
                                      ConstTensorView) {
  if (m_device.has_own_memory) return;
  const bool to_int8 = has_any(experts, &MeasuredWeight::has_quantized);
  const bool to_bf16 = m_device.rounds_to_bf16 && has_any(experts, &MeasuredWeight::has_halves);
  if (to_int8) keep_int8(x.dim(0), experts[0]->num_inputs());
  if (to_bf16) keep_bf16(x.dim(0), experts[0]->num_inputs());
  if (to_int8 || to_bf16) return;
  keep_floats(out.dim(0), experts[0]->num_inputs());
  const auto outputs = static_cast<uint64_t>(out.dim(0) * out.dim(1));
  m_expert_bytes = std::max(m_expert_bytes, outputs * sizeof(float));
}

void MeasuringBackend::keep_inputs(const LinearWeight& weight, int64_t num_rows) {
  if (m_device.has_own_memory) return;
  const auto& measured = static_cast<const MeasuredWeight&>(weight);
  const bool to_bf16 = measured.has_halves() && m_device.rounds_to_bf16;
  if (measured.has_quantized()) keep_int8(num_rows, weight.num_inputs());
  if (to_bf16) keep_bf16(num_rows, weight.num_inputs());
  if (!measured.has_quantized() && !to_bf16) keep_floats(num_rows, weight.num_inputs());
}

void MeasuringBackend::keep_int8(int64_t num_rows, int64_t num_inputs) {
  const uint64_t chunks = round_up(static_cast<uint64_t>(num_inputs), kChunkInputs) / kChunkInputs;
  m_int8_bytes = std::max(m_int8_bytes, chunks * rounded_rows(num_rows) * kInt8ChunkBytes);
}

void MeasuringBackend::keep_bf16(int64_t num_rows, int64_t num_inputs) {
  const uint64_t inputs = round_up(static_cast<uint64_t>(num_inputs), kChunkInputs);
  m_bf16_bytes = std::max(m_bf16_bytes, inputs * rounded_rows(num_rows) * sizeof(uint16_t));
}

void MeasuringBackend::keep_floats(int64_t num_rows, int64_t num_inputs) {
  const uint64_t numbers =
      round_up(static_cast<uint64_t>(num_inputs), kChunkInputs) * static_cast<uint64_t>(num_rows);
  m_float_bytes = std::max(m_float_bytes, numbers * sizeof(float));
}

void MeasuringBackend::count(uint64_t bytes) {
  bytes = std::max<uint64_t>(bytes, 1);
  if (!m_device.has_own_memory) {
    m_counted += round_up(bytes, kHostPageBytes);
  } else {
    m_counted += round_up(bytes, bytes < kGpuSharedBytes ? kGpuAlignment : kGpuPageBytes);
  }
}

uint64_t MeasuringBackend::take_counted() {
  m_taken += m_counted;
  return std::exchange(m_counted, 0);
}

}  // namespace quire
