#include "engine/models/layers/mlp.h"

namespace quire {

Mlp::Mlp(const ModelConfig& config, LayerTensors& tensors)
    : m_hidden_size(config.hidden_size), m_width(config.intermediate_size), m_glu(config.glu) {
  std::vector<LayerTensors::Part> parts = {{"ffn_gate", m_width}, {"ffn_up", m_width}};
  // Phi-3 and those like it keep the gate above the up projection in one tensor.
  if (tensors.num_rows("ffn_up") == 2 * m_width) parts = {{"ffn_up", 2 * m_width}};
  m_gate_up = tensors.linear(parts, m_hidden_size, config.mlp_bias);
  m_down = tensors.linear({{"ffn_down", m_hidden_size}}, m_width, config.mlp_bias);
}

void Mlp::forward(Backend& backend, Workspace& work, TensorView out, ConstTensorView in) const {
  const Workspace::Scope scope(work);
  const Buffers at = take(work, in.dim(0));
  m_gate_up.apply(backend, at.gate_up, in);
  backend.glu(at.activated, at.gate_up, m_glu);
  m_down.apply(backend, out, at.activated);
}

void Mlp::measure(Workspace& work, int64_t max_tokens) const {
  const Workspace::Scope scope(work);
  take(work, max_tokens);
}

void Mlp::add_limits(StepLimits& limits, int64_t max_tokens) const {
  limits.activations.push_back({max_tokens, m_hidden_size});
  limits.activations.push_back({max_tokens, m_width});
}

Mlp::Buffers Mlp::take(Workspace& work, int64_t num_tokens) const {
  return {.gate_up = work.take(num_tokens, 2 * m_width),
          .activated = work.take(num_tokens, m_width)};
}

}  // namespace quire
