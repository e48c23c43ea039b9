#include "engine/models/layers/moe.h"

namespace quire {

MoE::MoE(const ModelConfig& config, LayerTensors& tensors)
    : m_hidden_size(config.hidden_size), m_config(config.experts), m_activation(config) {
  const int64_t width = m_config.intermediate_size;
  const int count = m_config.num_experts;
  const bool has_bias = m_config.has_bias;
  CHECK(!has_bias || !m_config.scales_inputs);
  m_router = tensors.linear({{"ffn_gate_inp", count}}, m_hidden_size, has_bias);
  if (m_config.has_choice_bias) m_choice_bias = tensors.vector("exp_probs_b.bias", count);
  m_config.route.bias = m_choice_bias.view;
  if (m_config.has_expert_scales) m_expert_scales = tensors.vector("ffn_down_exps.scale", count);
  m_config.route.expert_scales = m_expert_scales.view;
  const int64_t size = expert_size();
  if (m_config.latent_size > 0) {
    m_latent_down = tensors.linear({{"ffn_latent_down", size}}, m_hidden_size, config.mlp_bias);
    m_latent_up = tensors.linear({{"ffn_latent_up", m_hidden_size}}, size, config.mlp_bias);
  }
  std::vector<LayerTensors::Part> parts = {{"ffn_up_exps", width}};
  if (m_activation.has_gate()) {
    parts = {{"ffn_gate_exps", width}, {"ffn_up_exps", width}};
    if (tensors.has_experts("ffn_gate_up_exps")) parts = {{"ffn_gate_up_exps", 2 * width}};
  }
  m_gate_up = tensors.experts(parts, count, size, has_bias);
  m_down = tensors.experts({{"ffn_down_exps", size}}, count, width, has_bias);
  if (m_config.shared_intermediate_size == 0) return;
  m_shared = std::make_unique<Mlp>(config, m_config.shared_intermediate_size,
                                   Mlp::Names{"ffn_gate_shexp", "ffn_up_shexp", "ffn_down_shexp"},
                                   tensors);
  if (!m_config.gates_shared) return;
  m_shared_gate = tensors.linear({{"ffn_gate_inp_shexp", 1}}, m_hidden_size, false);
}

void MoE::forward(Backend& backend, Workspace& work, TensorView out, const Inputs& inputs) const {
  const Workspace::Scope scope(work);
  const ConstTensorView in = inputs.experts;
  const Buffers at = take(work, in.dim(0), m_down.input_dtype(backend));
  // The shared MLP runs first because out may alias in.
  if (m_shared) m_shared->forward(backend, work, at.shared, in);
  if (m_shared_gate.weight) m_shared_gate.apply(backend, at.shared_gates, in);
  m_router.apply(backend, at.router_logits, inputs.router);
  backend.route_experts(at.ids, at.weights, at.router_logits, m_config.route);
  const bool has_latent = m_latent_down.weight != nullptr;
  if (has_latent) m_latent_down.apply(backend, at.latent, in);
  const ConstTensorView experts_in = has_latent ? at.latent : in;
  backend.linear_experts(at.mlp.up, experts_in, m_gate_up.views, m_gate_up.biases.view, at.ids);
  // Projections are linear: to scale what they give is to scale what they read.
  if (m_config.scales_inputs) backend.multiply(at.mlp.up, at.row_weights());
  m_activation.forward(backend, at.mlp);
  backend.linear_experts(at.out, at.mlp.activated, m_down.views, m_down.biases.view, at.ids);
  backend.mix_experts(has_latent ? at.latent : out, at.out,
                      m_config.scales_inputs ? TensorView() : at.weights);
  if (has_latent) m_latent_up.apply(backend, out, at.latent);
  if (!m_shared) return;
  if (m_shared_gate.weight) backend.gate(at.shared, at.shared_gates);
  backend.add(out, at.shared);
}

void MoE::measure(Workspace& work, int64_t max_tokens) const {
  const Workspace::Scope scope(work);
  take(work, max_tokens, DType::kF32);
  if (m_shared) m_shared->measure(work, max_tokens);
}

void MoE::add_limits(StepLimits& limits, int64_t max_tokens) const {
  const int64_t k = m_config.experts_per_token;
  limits.activations.push_back({max_tokens, m_hidden_size});
  limits.activations.push_back({max_tokens, expert_size(), k});
  limits.activations.push_back({max_tokens * k, m_config.intermediate_size});
  if (m_shared) m_shared->add_limits(limits, max_tokens);
}

size_t MoE::size_bytes() const {
  return m_router.size_bytes() + m_choice_bias.size_bytes() + m_expert_scales.size_bytes() +
         m_latent_down.size_bytes() + m_latent_up.size_bytes() + m_gate_up.size_bytes() +
         m_down.size_bytes() + (m_shared ? m_shared->size_bytes() : 0) + m_shared_gate.size_bytes();
}

/// activated: the dtype in which the experts' second product reads its input.
MoE::Buffers MoE::take(Workspace& work, int64_t num_tokens, DType activated) const {
  const int64_t k = m_config.experts_per_token, width = m_config.intermediate_size;
  return {.router_logits = work.take(num_tokens, m_config.num_experts),
          .ids = work.take(num_tokens, k, DType::kI32),
          .weights = work.take(num_tokens, k),
          .latent = m_latent_down.weight ? work.take(num_tokens, expert_size()) : TensorView(),
          .mlp = m_activation.take(work, num_tokens * k, width, activated),
          .out = work.take(num_tokens * k, expert_size()),
          .shared = m_shared ? work.take(num_tokens, m_hidden_size) : TensorView(),
          .shared_gates = m_shared_gate.weight ? work.take(num_tokens, 1) : TensorView()};
}

}  // namespace quire
