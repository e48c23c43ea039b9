#pragma once

#include <memory>

#include "kernels/backend.h"
#include "kernels/base/weight_parts.h"

namespace quire {

/// A backend without memory: loading onto it reads and checks a model's tensors, and computing on
/// it does nothing. So it finds out why a model does not load without the memory that loading
/// needs; LoadOptions::check_only skips the layout of weights. Thread: one at a time.
class NullBackend : public Backend {
 public:
  DeviceInfo info() const override {
    DeviceInfo info;
    info.name = "null";
    return info;
  }
  Result<std::unique_ptr<DeviceBuffer>> allocate(size_t bytes) override {
    static char address;  // Not to be read or written.
    return std::make_unique<DeviceBuffer>(&address, bytes, [] {});
  }
  void upload(void*, const void*, size_t) override {}
  void download(void*, const void*, size_t) override {}
  void copy(void*, const void*, size_t) override {}
  Result<void> synchronize() override { return {}; }
  Result<std::unique_ptr<LinearWeight>> pack_linear(
      std::span<const ConstTensorView> parts) override {
    return std::unique_ptr<LinearWeight>(std::make_unique<Weight>(parts));
  }
  void embed(TensorView, const LinearWeight&, ConstTensorView, float) override {}
  void linear(TensorView, ConstTensorView, const LinearWeight&, ConstTensorView) override {}
  void rms_norm(TensorView, ConstTensorView, ConstTensorView, float) override {}
  void layer_norm(TensorView, ConstTensorView, ConstTensorView, ConstTensorView, float) override {}
  void add_rms_norm(TensorView, TensorView, ConstTensorView, ConstTensorView, float) override {}
  void add(TensorView, ConstTensorView) override {}
  void scale(TensorView, float) override {}
  void soft_cap(TensorView, float) override {}
  void rope_cos_sin(TensorView, ConstTensorView, ConstTensorView, float) override {}
  void rope_and_store(TensorView, TensorView, ConstTensorView, ConstTensorView, ConstTensorView,
                      KvLayerView) override {}
  void position_scales(TensorView, ConstTensorView, const PositionScale&) override {}
  void attention(TensorView, ConstTensorView, KvLayerView, const AttentionBatch&,
                 const AttentionParams&) override {}
  void glu(TensorView, ConstTensorView, const GluParams&) override {}
  void activate(TensorView, const Activation&) override {}
  void gate(TensorView, ConstTensorView) override {}
  void multiply(TensorView, ConstTensorView) override {}
  void gaussian_top_k(TensorView, float) override {}
  void match_magnitude(TensorView, ConstTensorView) override {}
  void gated_norm(TensorView, ConstTensorView, ConstTensorView, const GatedNormParams&) override {}
  void causal_conv(TensorView, ConstTensorView, ConstTensorView, ConstTensorView, TensorView,
                   const StateBatch&, bool) override {}
  void gated_delta(TensorView, ConstTensorView, ConstTensorView, ConstTensorView, ConstTensorView,
                   ConstTensorView, TensorView, const StateBatch&,
                   const GatedDeltaParams&) override {}
  void mamba2_scan(TensorView, ConstTensorView, ConstTensorView, ConstTensorView, ConstTensorView,
                   TensorView, const StateBatch&, const Mamba2Params&) override {}
  void route_experts(TensorView, TensorView, ConstTensorView, const RouteParams&) override {}
  void sample(TensorView, TensorView, const SampleBatch&) override {}
  void linear_experts(TensorView, ConstTensorView, std::span<const LinearWeight* const>,
                      ConstTensorView, ConstTensorView) override {}
  void linear_heads(TensorView, ConstTensorView, std::span<const LinearWeight* const>) override {}
  void mix_experts(TensorView, ConstTensorView, ConstTensorView) override {}
  void gather_rows(TensorView, ConstTensorView, ConstTensorView) override {}

 private:
  class Weight final : public LinearWeight {
   public:
    explicit Weight(std::span<const ConstTensorView> parts) : m_num_inputs(parts[0].dim(1)) {
      const WeightParts of = WeightParts::of(parts);
      m_bytes = static_cast<size_t>(of.vector_bytes());
      for (const ConstTensorView& part : of.matrices) {
        m_num_outputs += part.dim(0);
        m_bytes += static_cast<size_t>(part.dim(0) * dtype_span_bytes(part.dtype(), m_num_inputs));
      }
    }
    int64_t num_outputs() const override { return m_num_outputs; }
    int64_t num_inputs() const override { return m_num_inputs; }
    size_t size_bytes() const override { return m_bytes; }

   private:
    int64_t m_num_outputs = 0;
    int64_t m_num_inputs;
    size_t m_bytes = 0;
  };
};

}  // namespace quire
