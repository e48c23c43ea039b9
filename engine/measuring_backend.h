#pragma once

#include "engine/models/null_backend.h"

namespace quire {

/// Takes everything, keeps nothing, and counts what a device would have given for it: loading a
/// model onto it finds out what memory loading takes, by the same calls in the same order.
///
/// Weights count as the device lays them out: a CPU in panels of 64 outputs, a GPU in units of 16
/// outputs and 64 or 256 inputs. Memory counts in the steps in which the system gives it.
/// Thread: one at a time.
class MeasuringBackend final : public NullBackend {
 public:
  /// `device` as list_devices() says it.
  explicit MeasuringBackend(const DeviceInfo& device) : m_device(device) {}

  /// What is free shrinks by what was counted.
  DeviceInfo info() const override;
  bool keeps_kv(DType dtype) const override;
  Result<std::unique_ptr<DeviceBuffer>> allocate(size_t bytes) override;
  Result<std::unique_ptr<LinearWeight>> pack_linear(
      std::span<const ConstTensorView> parts) override;

  /// Bytes since the last call.
  uint64_t take_counted();

 private:
  void count(uint64_t bytes);

  DeviceInfo m_device;
  uint64_t m_taken = 0;    ///< By take_counted().
  uint64_t m_counted = 0;  ///< Since then.
};

}  // namespace quire
