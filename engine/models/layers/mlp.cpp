#include "engine/models/layers/mlp.h"

#include <cmath>

namespace quire {

/// alpha_p and alpha_n are stored before the softplus that keeps them positive (arXiv:2411.13010,
/// section 3.2), and alpha_n without the beta that is added to it.
void MlpActivation::load_parameters(const ModelConfig& config, LayerTensors& tensors) {
  if (m_has_gate || m_activation.kind != Activation::Kind::kXielu) return;
  const auto softplus = [](float x) { return x > 20.0f ? x : std::log1p(std::exp(x)); };
  if (!config.stored_activations.empty()) {
    m_activation = config.stored_activations.at(static_cast<size_t>(tensors.layer()));
  } else {
    const Activation defaults;
    m_activation.positive = tensors.number("ffn_act.alpha_p");
    m_activation.negative = tensors.number("ffn_act.alpha_n");
    m_activation.beta = tensors.number("ffn_act.beta", defaults.beta);
    m_activation.eps = tensors.number("ffn_act.eps", defaults.eps);
  }
  m_activation.positive = softplus(m_activation.positive);
  m_activation.negative = m_activation.beta + softplus(m_activation.negative);
}

Mlp::Mlp(const ModelConfig& config, int64_t width, const Names& names, LayerTensors& tensors)
    : m_hidden_size(config.hidden_size),
      m_width(width),
      m_scale(config.block_scales.mlp),
      m_activation(config) {
  std::vector<LayerTensors::Part> parts = {{names.up, m_width}};
  if (m_activation.has_gate()) {
    // Phi-3 and those like it keep the gate above the up projection in one tensor.
    const bool is_fused = tensors.num_rows(names.up) == 2 * m_width;
    parts = {{names.gate, m_width}, {names.up, m_width}};
    if (is_fused) parts = {{names.up, 2 * m_width}};
  }
  m_up = tensors.linear(parts, m_hidden_size, config.mlp_bias);
  m_down = tensors.linear({{names.down, m_hidden_size}}, m_width, config.mlp_bias);
  m_activation.load_parameters(config, tensors);
}

void Mlp::forward(Backend& backend, Workspace& work, TensorView out, ConstTensorView in) const {
  const Workspace::Scope scope(work);
  const MlpActivation::Buffers at =
      m_activation.take(work, in.dim(0), m_width, m_down.input_dtype(backend));
  const GluParams* const glu = m_gate_threshold ? nullptr : m_activation.plain_glu();
  if (glu != nullptr) {
    m_up.apply_glu(backend, at.activated, at.up, in, *glu);
  } else {
    m_up.apply(backend, at.up, in);
    if (m_gate_threshold) backend.gaussian_top_k(at.up.columns(0, m_width), *m_gate_threshold);
    m_activation.forward(backend, at);
  }
  m_down.apply(backend, out, at.activated);
  if (m_scale != 1.0f) backend.scale(out, m_scale);
}

void Mlp::measure(Workspace& work, int64_t max_tokens) const {
  const Workspace::Scope scope(work);
  m_activation.take(work, max_tokens, m_width, DType::kF32);
}

void Mlp::add_limits(StepLimits& limits, int64_t max_tokens) const {
  limits.activations.push_back({max_tokens, m_hidden_size});
  limits.activations.push_back({max_tokens, m_width});
}

}  // namespace quire
