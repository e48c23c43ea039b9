#include "engine/models/layers/per_layer_input.h"

namespace quire {

PerLayerInput::PerLayerInput(const ModelConfig& config, LayerTensors& tensors)
    : m_hidden_size(config.hidden_size), m_width(config.per_layer.width) {
  const bool is_gelu = config.glu.kind == GluParams::Kind::kGeluTanh;
  m_activation.kind = is_gelu ? Activation::Kind::kGeluTanh : Activation::Kind::kSilu;
  m_gate = tensors.linear({{"inp_gate", m_width}}, m_hidden_size, false);
  m_projection = tensors.linear({{"proj", m_hidden_size}}, m_width, false);
  m_norm = tensors.norm("post_norm", m_hidden_size, NormKind::kRms, config.norm_eps);
}

void PerLayerInput::forward(const Mixer::Step& step, TensorView out, ConstTensorView x) const {
  const Workspace::Scope scope(step.work);
  Backend& backend = step.backend;
  const TensorView gated = step.work.take(x.dim(0), m_width);
  const TensorView wanted = step.work.take(step.rows ? x.dim(0) : 0, m_width);
  m_gate.apply(backend, gated, x);
  backend.activate(gated, m_activation);
  if (step.rows) backend.gather_rows(wanted, step.per_layer, *step.rows);
  backend.multiply(gated, step.rows ? ConstTensorView(wanted) : step.per_layer);
  m_projection.apply(backend, out, gated);
  m_norm.apply(backend, out, out);
}

void PerLayerInput::measure(Workspace& work, int64_t max_rows) const {
  const Workspace::Scope scope(work);
  work.take(max_rows, m_width);
  work.take(max_rows, m_width);
}

void PerLayerInput::add_limits(StepLimits& limits, int64_t max_tokens) const {
  limits.activations.push_back({max_tokens, m_hidden_size});
  limits.activations.push_back({max_tokens, m_width});
}

}  // namespace quire
