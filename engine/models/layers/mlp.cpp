#include "engine/models/layers/mlp.h"

namespace quire {

Mlp::Mlp(const ModelConfig& config, int64_t width, const Names& names, LayerTensors& tensors)
    : m_hidden_size(config.hidden_size),
      m_width(width),
      m_has_gate(config.has_gated_mlp),
      m_glu(config.glu),
      m_activation(config.activation) {
  std::vector<LayerTensors::Part> parts = {{names.up, m_width}};
  if (m_has_gate) {
    // Phi-3 and those like it keep the gate above the up projection in one tensor.
    const bool is_fused = tensors.num_rows(names.up) == 2 * m_width;
    parts = {{names.gate, m_width}, {names.up, m_width}};
    if (is_fused) parts = {{names.up, 2 * m_width}};
  }
  m_up = tensors.linear(parts, m_hidden_size, config.mlp_bias);
  m_down = tensors.linear({{names.down, m_hidden_size}}, m_width, config.mlp_bias);
}

void Mlp::forward(Backend& backend, Workspace& work, TensorView out, ConstTensorView in) const {
  const Workspace::Scope scope(work);
  const Buffers at = take(work, in.dim(0));
  m_up.apply(backend, at.up, in);
  if (m_has_gate) {
    backend.glu(at.activated, at.up, m_glu);
  } else {
    backend.activate(at.up, m_activation);
  }
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
  const TensorView up = work.take(num_tokens, m_has_gate ? 2 * m_width : m_width);
  return {.up = up, .activated = m_has_gate ? work.take(num_tokens, m_width) : up};
}

}  // namespace quire
