#pragma once

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
  DeviceInfo info() const override;
  bool supports_kv(DType dtype) const override;
  Result<std::unique_ptr<DeviceBuffer>> allocate(size_t bytes) override;
  Result<std::unique_ptr<LinearWeight>> pack_linear(
      std::span<const ConstTensorView> parts) override;
  Result<void> reserve_scratch(const StepLimits& limits) override;

  /// Bytes since the last call.
  uint64_t take_counted();

 private:
  void count(uint64_t bytes);

  DeviceInfo m_device;
  MemoryModel m_memory;
  uint64_t m_taken = 0;    ///< By take_counted().
  uint64_t m_counted = 0;  ///< Since then.
};

}  // namespace quire
