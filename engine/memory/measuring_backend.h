#pragma once

#include "engine/models/null_backend.h"

namespace quire {

/// Takes everything, keeps nothing, and counts what a device would have given for it: loading a
/// model onto it finds out what memory loading takes, by the same calls in the same order, and a
/// step what its products take. Inputs are rounded as BackendOptions does it by default.
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
  void linear(TensorView out, ConstTensorView x, const LinearWeight& weight,
              ConstTensorView bias) override;
  void linear_experts(TensorView out, ConstTensorView x,
                      std::span<const LinearWeight* const> experts, ConstTensorView biases,
                      ConstTensorView expert_ids) override;

  /// Bytes since the last call.
  uint64_t take_counted();

  /// The largest copies of inputs, regrouped or rounded for their products, that a CPU has kept of
  /// what was multiplied until now; a GPU's are among what it allocates.
  uint64_t input_bytes() const {
    return m_float_bytes + m_int8_bytes + m_bf16_bytes + m_expert_bytes;
  }

 private:
  void count(uint64_t bytes);
  void keep_inputs(const LinearWeight& weight, int64_t num_rows);
  void keep_int8(int64_t num_rows, int64_t num_inputs);
  void keep_bf16(int64_t num_rows, int64_t num_inputs);
  void keep_floats(int64_t num_rows, int64_t num_inputs);

  DeviceInfo m_device;
  uint64_t m_float_bytes = 0;
  uint64_t m_int8_bytes = 0;
  uint64_t m_bf16_bytes = 0;
  uint64_t m_expert_bytes = 0;
  uint64_t m_taken = 0;    ///< By take_counted().
  uint64_t m_counted = 0;  ///< Since then.
};

}  // namespace quire
