#pragma once

#include <memory>
#include <span>
#include <string>

#include "kernels/backend.h"

namespace quire::test {

/// Does as a backend, which outlives it, until stop(): from then on no operation is submitted, so
/// that a case goes on to its end without memory that could not be had.
class StoppableBackend final : public Backend {
 public:
  explicit StoppableBackend(Backend& backend) : m_backend(backend) {}
  void stop() { m_is_stopped = true; }
  bool is_stopped() const { return m_is_stopped; }

  DeviceInfo info() const override { return m_backend.info(); }
  bool supports_kv(DType dtype) const override { return m_backend.supports_kv(dtype); }
  /// input_dtype() of the backend. Its own says f32: only some cases have quantised activations.
  DType activation_dtype(const LinearWeight& weight) const {
    return m_is_stopped ? DType::kF32 : m_backend.input_dtype(weight);
  }
  bool captures_graphs() const override { return m_backend.captures_graphs(); }
  Result<std::unique_ptr<DeviceBuffer>> allocate(size_t bytes) override {
    return m_backend.allocate(bytes);
  }
  Result<void> synchronize() override { return m_backend.synchronize(); }
  Result<std::unique_ptr<LinearWeight>> pack_linear(
      std::span<const ConstTensorView> parts) override {
    return m_backend.pack_linear(parts);
  }

  void upload(void* dst, const void* host_src, size_t bytes) override;
  void download(void* host_dst, const void* src, size_t bytes) override;
  void copy(void* dst, const void* src, size_t bytes) override;
  void launch_graph(uint64_t key, const std::function<void()>& operations) override;
  void embed(TensorView out, const LinearWeight& table, ConstTensorView ids, float scale) override;
  void linear(TensorView out, ConstTensorView x, const LinearWeight& weight,
              ConstTensorView bias) override;
  void rms_norm(TensorView out, ConstTensorView x, ConstTensorView weight, float eps) override;
  void add_rms_norm(TensorView out, TensorView residual, ConstTensorView delta,
                    ConstTensorView weight, float eps) override;
  void add(TensorView x, ConstTensorView y) override;
  void scale(TensorView x, float factor) override;
  void soft_cap(TensorView x, float cap) override;
  void rope_cos_sin(TensorView cos_sin, ConstTensorView positions, ConstTensorView inv_freq,
                    float scale) override;
  void rope_and_store(TensorView q, TensorView k, ConstTensorView v, ConstTensorView cos_sin,
                      ConstTensorView slot_mapping, KvLayerView kv) override;
  void position_scales(TensorView out, ConstTensorView positions,
                       const PositionScale& params) override;
  void begin_attention(const AttentionBatch& batch, const HostAttentionBatch& host) override;
  void attention(TensorView out, ConstTensorView q, KvLayerView kv, const AttentionBatch& batch,
                 const AttentionParams& params) override;
  void glu(TensorView out, ConstTensorView gate_up, const GluParams& params) override;
  void linear_glu(TensorView out, TensorView gate_up, ConstTensorView x,
                  const GluWeight& gate_and_up) override;
  void layer_norm(TensorView out, ConstTensorView x, ConstTensorView weight, ConstTensorView bias,
                  float eps) override;
  void activate(TensorView x, const Activation& f) override;
  void gate(TensorView x, ConstTensorView gate) override;
  void multiply(TensorView x, ConstTensorView y) override;
  void gaussian_top_k(TensorView x, float multiplier) override;
  void match_magnitude(TensorView x, ConstTensorView y) override;
  void gated_norm(TensorView x, ConstTensorView gate, ConstTensorView weight,
                  const GatedNormParams& params) override;
  void causal_conv(TensorView out, ConstTensorView x, ConstTensorView weight, ConstTensorView bias,
                   TensorView states, const StateBatch& batch, bool silu) override;
  void gated_delta(TensorView out, ConstTensorView q, ConstTensorView k, ConstTensorView v,
                   ConstTensorView alpha, ConstTensorView beta, TensorView states,
                   const StateBatch& batch, const GatedDeltaParams& params) override;
  void mamba2_scan(TensorView out, ConstTensorView x, ConstTensorView b, ConstTensorView c,
                   ConstTensorView dt, TensorView states, const StateBatch& batch,
                   const Mamba2Params& params) override;
  void route_experts(TensorView expert_ids, TensorView expert_weights,
                     ConstTensorView router_logits, const RouteParams& params) override;
  void linear_experts(TensorView out, ConstTensorView x,
                      std::span<const LinearWeight* const> experts, ConstTensorView biases,
                      ConstTensorView expert_ids) override;
  void linear_heads(TensorView out, ConstTensorView x,
                    std::span<const LinearWeight* const> heads) override;
  void mix_experts(TensorView out, ConstTensorView x, ConstTensorView expert_weights) override;
  void gather_rows(TensorView out, ConstTensorView x, ConstTensorView rows) override;
  void sample(TensorView token_ids, TensorView logits, const SampleBatch& batch) override;

 private:
  Backend& m_backend;
  bool m_is_stopped = false;
};

/// A backend of a conformance case and the first failure that it reported.
class Device {
 public:
  explicit Device(Backend& b) : backend(m_stoppable), m_stoppable(b) {}
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  Backend& backend;
  std::string failure = {};

  /// Null if there is no memory: then the case has failed, and nothing of it is computed any more.
  std::unique_ptr<DeviceBuffer> allocate(size_t bytes);
  /// Never null: after a failure, a weight of the parts' shape that cannot be used.
  std::unique_ptr<LinearWeight> pack(std::span<const ConstTensorView> parts);
  /// What products with the weight round their inputs to (Backend::input_dtype).
  DType activation_dtype(const LinearWeight& weight) const {
    return m_stoppable.activation_dtype(weight);
  }
  /// Waits for everything submitted.
  void finish();

 private:
  void stop(const std::string& reason);

  StoppableBackend m_stoppable;
};

}  // namespace quire::test
