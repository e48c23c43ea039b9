#pragma once

#include <algorithm>
#include <utility>

#include "engine/models/null_backend.h"

namespace quire {

/// Counts the memory that a device would allocate, so that loading a model onto it and creating its
/// runner gives the memory that the model needs. Sizes are rounded up as the system does it.
/// Thread: one at a time.
class MeasuringBackend final : public NullBackend {
 public:
  /// device: from list_devices(); num_threads: as in BackendOptions.
  MeasuringBackend(const DeviceInfo& device, int num_threads)
      : m_device(device), m_memory(device, num_threads) {}

  /// free_bytes are reduced by what was counted.
  DeviceInfo info() const override {
    DeviceInfo info = m_device;
    info.free_bytes -= std::min(info.free_bytes, m_taken + m_counted);
    return info;
  }
  bool supports_kv(DType dtype) const override {
    return m_device.has_own_memory || dtype == DType::kI8 || NullBackend::supports_kv(dtype);
  }
  Result<std::unique_ptr<DeviceBuffer>> allocate(size_t bytes) override {
    count(bytes * static_cast<size_t>(m_device.num_devices));
    return NullBackend::allocate(bytes);
  }
  Result<std::unique_ptr<DeviceBuffer>> allocate_pages(size_t block_bytes, int64_t num_blocks,
                                                       int64_t num_heads) override {
    const size_t bytes = block_bytes * static_cast<size_t>(num_blocks);
    count(bytes * static_cast<size_t>(m_device.page_copies(num_heads)));
    return NullBackend::allocate(bytes);
  }
  Result<std::unique_ptr<LinearWeight>> pack_linear(
      std::span<const ConstTensorView> parts) override {
    count(m_memory.packed_bytes(parts));
    return NullBackend::pack_linear(parts);
  }
  Result<void> reserve_scratch(const StepLimits& limits) override {
    const uint64_t bytes = m_memory.scratch_bytes(limits);
    if (bytes > 0) count(bytes);
    return {};
  }

  /// Bytes since the last call.
  uint64_t take_counted() {
    m_taken += m_counted;
    return std::exchange(m_counted, 0);
  }

 private:
  void count(uint64_t bytes) {
    constexpr uint64_t kHostPageBytes = 4096;
    constexpr uint64_t kGpuPageBytes = uint64_t{2} << 20;
    constexpr uint64_t kGpuSharedBytes = uint64_t{1} << 20;  // Smaller pieces share pages.
    constexpr uint64_t kGpuAlignment = 512;
    const uint64_t gpu_multiple = bytes < kGpuSharedBytes ? kGpuAlignment : kGpuPageBytes;
    const uint64_t multiple = m_device.has_own_memory ? gpu_multiple : kHostPageBytes;
    m_counted += (std::max<uint64_t>(bytes, 1) + multiple - 1) / multiple * multiple;
  }

  DeviceInfo m_device;
  MemoryModel m_memory;
  uint64_t m_taken = 0;    ///< By take_counted().
  uint64_t m_counted = 0;  ///< Since then.
};

}  // namespace quire
