#include "engine/models/layers/experts_beside_mlp.h"

#include <cmath>

namespace quire {

ExpertsBesideMlp::ExpertsBesideMlp(const ModelConfig& config, int index, LayerTensors& tensors)
    : m_hidden_size(config.hidden_size),
      m_norm(tensors.rms_norm("ffn_norm", config)),
      m_post_norm(tensors.rms_norm("post_ffw_norm_1", config)),
      m_mlp(config, index, tensors),
      m_router_norm(tensors.scaled_norm("ffn_gate_inp.scale", m_hidden_size,
                                        1.0 / std::sqrt(static_cast<double>(m_hidden_size)),
                                        config.norm_eps)),
      m_experts_norm(tensors.rms_norm("pre_ffw_norm_2", config)),
      m_post_experts_norm(tensors.rms_norm("post_ffw_norm_2", config)),
      m_experts(config, tensors) {}

void ExpertsBesideMlp::forward(Backend& backend, Workspace& work, TensorView out,
                               ConstTensorView in) const {
  const Workspace::Scope scope(work);
  const Buffers at = take(work, in.dim(0));
  m_norm.apply(backend, at.normed, in);
  m_mlp.forward(backend, work, out, at.normed);
  m_post_norm.apply(backend, out, out);
  m_router_norm.apply(backend, at.router_input, in);
  m_experts_norm.apply(backend, at.normed, in);
  m_experts.forward(backend, work, at.mixed, {at.normed, at.router_input});
  m_post_experts_norm.apply(backend, at.mixed, at.mixed);
  backend.add(out, at.mixed);
}

void ExpertsBesideMlp::measure(Workspace& work, int64_t max_tokens) const {
  const Workspace::Scope scope(work);
  take(work, max_tokens);
  m_mlp.measure(work, max_tokens);
  m_experts.measure(work, max_tokens);
}

void ExpertsBesideMlp::add_limits(StepLimits& limits, int64_t max_tokens) const {
  m_mlp.add_limits(limits, max_tokens);
  m_experts.add_limits(limits, max_tokens);
}

size_t ExpertsBesideMlp::size_bytes() const {
  size_t total = m_mlp.size_bytes() + m_experts.size_bytes();
  for (const Norm* norm :
       {&m_norm, &m_post_norm, &m_router_norm, &m_experts_norm, &m_post_experts_norm}) {
    total += norm->size_bytes();
  }
  return total;
}

ExpertsBesideMlp::Buffers ExpertsBesideMlp::take(Workspace& work, int64_t num_tokens) const {
  return {.normed = work.take(num_tokens, m_hidden_size),
          .router_input = work.take(num_tokens, m_hidden_size),
          .mixed = work.take(num_tokens, m_hidden_size)};
}

}  // namespace quire
