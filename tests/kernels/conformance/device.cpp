#include "tests/kernels/conformance/device.h"

namespace quire::test {
namespace {

/// In the place of a weight that could not be packed.
class NoWeight final : public LinearWeight {
 public:
  explicit NoWeight(std::span<const ConstTensorView> parts) : m_num_inputs(parts[0].dim(1)) {
    for (const ConstTensorView& part : parts) m_num_outputs += part.dim(0);
  }
  int64_t num_outputs() const override { return m_num_outputs; }
  int64_t num_inputs() const override { return m_num_inputs; }
  size_t size_bytes() const override { return 0; }

 private:
  int64_t m_num_outputs = 0;
  int64_t m_num_inputs;
};

}  // namespace

void StoppableBackend::upload(void* dst, const void* host_src, size_t bytes) {
  if (!m_is_stopped) m_backend.upload(dst, host_src, bytes);
}

void StoppableBackend::download(void* host_dst, const void* src, size_t bytes) {
  if (!m_is_stopped) m_backend.download(host_dst, src, bytes);
}

void StoppableBackend::copy(void* dst, const void* src, size_t bytes) {
  if (!m_is_stopped) m_backend.copy(dst, src, bytes);
}

void StoppableBackend::launch_graph(uint64_t key, const std::function<void()>& operations) {
  if (!m_is_stopped) m_backend.launch_graph(key, operations);
}

void StoppableBackend::embed(TensorView out, const LinearWeight& table, ConstTensorView ids,
                             float factor) {
  if (!m_is_stopped) m_backend.embed(out, table, ids, factor);
}

void StoppableBackend::linear(TensorView out, ConstTensorView x, const LinearWeight& weight,
                              ConstTensorView bias) {
  if (!m_is_stopped) m_backend.linear(out, x, weight, bias);
}

void StoppableBackend::rms_norm(TensorView out, ConstTensorView x, ConstTensorView weight,
                                float eps) {
  if (!m_is_stopped) m_backend.rms_norm(out, x, weight, eps);
}

void StoppableBackend::add_rms_norm(TensorView out, TensorView residual, ConstTensorView delta,
                                    ConstTensorView weight, float eps) {
  if (!m_is_stopped) m_backend.add_rms_norm(out, residual, delta, weight, eps);
}

void StoppableBackend::add(TensorView x, ConstTensorView y) {
  if (!m_is_stopped) m_backend.add(x, y);
}

void StoppableBackend::scale(TensorView x, float factor) {
  if (!m_is_stopped) m_backend.scale(x, factor);
}

void StoppableBackend::soft_cap(TensorView x, float cap) {
  if (!m_is_stopped) m_backend.soft_cap(x, cap);
}

void StoppableBackend::rope_cos_sin(TensorView cos_sin, ConstTensorView positions,
                                    ConstTensorView inv_freq, float factor) {
  if (!m_is_stopped) m_backend.rope_cos_sin(cos_sin, positions, inv_freq, factor);
}

void StoppableBackend::rope_and_store(TensorView q, TensorView k, ConstTensorView v,
                                      ConstTensorView cos_sin, ConstTensorView slot_mapping,
                                      KvLayerView kv) {
  if (!m_is_stopped) m_backend.rope_and_store(q, k, v, cos_sin, slot_mapping, kv);
}

void StoppableBackend::begin_attention(const AttentionBatch& batch,
                                       const HostAttentionBatch& host) {
  if (!m_is_stopped) m_backend.begin_attention(batch, host);
}

void StoppableBackend::attention(TensorView out, ConstTensorView q, KvLayerView kv,
                                 const AttentionBatch& batch, const AttentionParams& params) {
  if (!m_is_stopped) m_backend.attention(out, q, kv, batch, params);
}

void StoppableBackend::glu(TensorView out, ConstTensorView gate_up, const GluParams& params) {
  if (!m_is_stopped) m_backend.glu(out, gate_up, params);
}
void StoppableBackend::linear_glu(TensorView out, TensorView gate_up, ConstTensorView x,
                                  const GluWeight& gate_and_up) {
  if (!m_is_stopped) m_backend.linear_glu(out, gate_up, x, gate_and_up);
}

void StoppableBackend::layer_norm(TensorView out, ConstTensorView x, ConstTensorView weight,
                                  ConstTensorView bias, float eps) {
  if (!m_is_stopped) m_backend.layer_norm(out, x, weight, bias, eps);
}

void StoppableBackend::activate(TensorView x, const Activation& f) {
  if (!m_is_stopped) m_backend.activate(x, f);
}

void StoppableBackend::gate(TensorView x, ConstTensorView gate) {
  if (!m_is_stopped) m_backend.gate(x, gate);
}

void StoppableBackend::position_scales(TensorView out, ConstTensorView positions,
                                       const PositionScale& params) {
  if (!m_is_stopped) m_backend.position_scales(out, positions, params);
}

void StoppableBackend::multiply(TensorView x, ConstTensorView y) {
  if (!m_is_stopped) m_backend.multiply(x, y);
}

void StoppableBackend::gaussian_top_k(TensorView x, float multiplier) {
  if (!m_is_stopped) m_backend.gaussian_top_k(x, multiplier);
}

void StoppableBackend::match_magnitude(TensorView x, ConstTensorView y) {
  if (!m_is_stopped) m_backend.match_magnitude(x, y);
}

void StoppableBackend::gated_norm(TensorView x, ConstTensorView gate, ConstTensorView weight,
                                  const GatedNormParams& params) {
  if (!m_is_stopped) m_backend.gated_norm(x, gate, weight, params);
}

void StoppableBackend::causal_conv(TensorView out, ConstTensorView x, ConstTensorView weight,
                                   ConstTensorView bias, TensorView states, const StateBatch& batch,
                                   bool silu) {
  if (!m_is_stopped) m_backend.causal_conv(out, x, weight, bias, states, batch, silu);
}

void StoppableBackend::gated_delta(TensorView out, ConstTensorView q, ConstTensorView k,
                                   ConstTensorView v, ConstTensorView alpha, ConstTensorView beta,
                                   TensorView states, const StateBatch& batch,
                                   const GatedDeltaParams& params) {
  if (!m_is_stopped) m_backend.gated_delta(out, q, k, v, alpha, beta, states, batch, params);
}

void StoppableBackend::mamba2_scan(TensorView out, ConstTensorView x, ConstTensorView b,
                                   ConstTensorView c, ConstTensorView dt, TensorView states,
                                   const StateBatch& batch, const Mamba2Params& params) {
  if (!m_is_stopped) m_backend.mamba2_scan(out, x, b, c, dt, states, batch, params);
}

void StoppableBackend::route_experts(TensorView expert_ids, TensorView expert_weights,
                                     ConstTensorView router_logits, const RouteParams& params) {
  if (!m_is_stopped) m_backend.route_experts(expert_ids, expert_weights, router_logits, params);
}

void StoppableBackend::linear_experts(TensorView out, ConstTensorView x,
                                      std::span<const LinearWeight* const> experts,
                                      ConstTensorView biases, ConstTensorView expert_ids) {
  if (!m_is_stopped) m_backend.linear_experts(out, x, experts, biases, expert_ids);
}

void StoppableBackend::linear_heads(TensorView out, ConstTensorView x,
                                    std::span<const LinearWeight* const> heads) {
  if (!m_is_stopped) m_backend.linear_heads(out, x, heads);
}

void StoppableBackend::mix_experts(TensorView out, ConstTensorView x,
                                   ConstTensorView expert_weights) {
  if (!m_is_stopped) m_backend.mix_experts(out, x, expert_weights);
}

void StoppableBackend::gather_rows(TensorView out, ConstTensorView x, ConstTensorView rows) {
  if (!m_is_stopped) m_backend.gather_rows(out, x, rows);
}

void StoppableBackend::sample(TensorView token_ids, TensorView logits, const SampleBatch& batch) {
  if (!m_is_stopped) m_backend.sample(token_ids, logits, batch);
}

std::unique_ptr<DeviceBuffer> Device::allocate(size_t bytes) {
  if (m_stoppable.is_stopped()) return nullptr;
  Result<std::unique_ptr<DeviceBuffer>> buffer = backend.allocate(bytes);
  if (buffer) return std::move(*buffer);
  stop(buffer.error().message);
  return nullptr;
}

std::unique_ptr<LinearWeight> Device::pack(std::span<const ConstTensorView> parts) {
  if (!m_stoppable.is_stopped()) {
    Result<std::unique_ptr<LinearWeight>> packed = backend.pack_linear(parts);
    if (packed) return std::move(*packed);
    stop(packed.error().message);
  }
  return std::make_unique<NoWeight>(parts);
}

void Device::finish() {
  const Result<void> finished = backend.synchronize();
  if (!finished && failure.empty()) failure = finished.error().message;
}

void Device::stop(const std::string& reason) {
  m_stoppable.stop();
  if (failure.empty()) failure = reason;
}

}  // namespace quire::test
