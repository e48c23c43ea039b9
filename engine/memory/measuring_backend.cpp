#include "engine/memory/measuring_backend.h"

#include <algorithm>
#include <utility>

namespace quire {
namespace {

constexpr uint64_t kHostPageBytes = 4096;
constexpr uint64_t kGpuPageBytes = uint64_t{2} << 20;
/// Smaller pieces of GPU memory share pages.
constexpr uint64_t kGpuSharedBytes = uint64_t{1} << 20;
constexpr uint64_t kGpuAlignment = 512;

uint64_t round_up(uint64_t n, uint64_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

}  // namespace

DeviceInfo MeasuringBackend::info() const {
  DeviceInfo info = m_device;
  info.free_bytes -= std::min(info.free_bytes, m_taken + m_counted);
  return info;
}

bool MeasuringBackend::supports_kv(DType dtype) const {
  return m_device.has_own_memory || dtype == DType::kI8 || NullBackend::supports_kv(dtype);
}

Result<std::unique_ptr<DeviceBuffer>> MeasuringBackend::allocate(size_t bytes) {
  count(bytes);
  return NullBackend::allocate(bytes);
}

Result<std::unique_ptr<LinearWeight>> MeasuringBackend::pack_linear(
    std::span<const ConstTensorView> parts) {
  count(m_memory.packed_bytes(parts));
  return NullBackend::pack_linear(parts);
}

Result<void> MeasuringBackend::reserve_scratch(const StepLimits& limits) {
  const uint64_t bytes = m_memory.scratch_bytes(limits);
  if (bytes > 0) count(bytes);
  return {};
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
