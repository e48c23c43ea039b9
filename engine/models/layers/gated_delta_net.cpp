#include "engine/models/layers/gated_delta_net.h"

#include <algorithm>

namespace quire {

GatedDeltaNet::GatedDeltaNet(const ModelConfig& config, int index, LayerTensors& tensors)
    : m_index(index), m_hidden_size(config.hidden_size), m_sizes(config.recurrent) {
  const int64_t q = key_width(), v = value_width(), heads = m_sizes.num_heads;
  const int64_t per_key = heads / m_sizes.num_groups;
  const int64_t key = m_sizes.key_dim, values = per_key * m_sizes.value_dim;
  // Some files keep all of a key head's rows together, and GGUF those of only some projections.
  std::vector<LayerTensors::Part> parts = {{"attn_qkv", 2 * q + v}, {"attn_gate", v}};
  if (tensors.has("ssm_in")) {
    parts = {{.name = "ssm_in",
              .num_outputs = 2 * q + 2 * v,
              .group_widths = {key, key, values, values}}};
  }
  if (tensors.has("ssm_ba")) {
    parts.push_back(
        {.name = "ssm_ba", .num_outputs = 2 * heads, .group_widths = {per_key, per_key}});
  } else {
    parts.insert(parts.end(), {{"ssm_beta", heads}, {"ssm_alpha", heads}});
  }
  m_input = tensors.linear(parts, m_hidden_size, false);
  m_taps = tensors.parameters("ssm_conv1d.weight", conv_width(), m_sizes.conv_taps);
  m_decays = tensors.decays("ssm_a", heads);
  m_dt_bias = tensors.vector("ssm_dt.bias", heads);
  m_norm = tensors.vector("ssm_norm.weight", m_sizes.value_dim);
  m_norm_params = {.group_size = m_sizes.value_dim, .eps = config.norm_eps, .gate_first = false};
  m_params = {.a = m_decays.view, .dt_bias = m_dt_bias.view, .tiled_heads = m_sizes.tiled_heads};
  m_output = tensors.linear({{"ssm_out", m_hidden_size}}, v, false);
}

LayerCache GatedDeltaNet::cache_of(const ModelConfig& config, int /*index*/) {
  const RecurrentConfig& sizes = config.recurrent;
  const int64_t width =
      2 * int64_t{sizes.num_groups} * sizes.key_dim + int64_t{sizes.num_heads} * sizes.value_dim;
  return {.pages = {},
          .state = StateShape{.conv_rows = sizes.conv_taps - 1,
                              .conv_width = width,
                              .num_heads = sizes.num_heads,
                              .rows = sizes.key_dim,
                              .columns = sizes.value_dim}};
}

void GatedDeltaNet::forward(const Step& step, TensorView out, ConstTensorView in) const {
  const Workspace::Scope scope(step.work);
  Backend& backend = step.backend;
  const Buffers at = take(step.work, in.dim(0), step.rows ? step.rows->dim(0) : 0);
  const StateLayerView states = step.kv.state(m_index);
  const int64_t q = key_width(), v = value_width(), heads = m_sizes.num_heads;
  m_input.apply(backend, at.projected, in);
  const TensorView gates = at.projected.columns(2 * q + v, v);
  const TensorView beta = at.projected.columns(2 * q + 2 * v, heads);
  const TensorView alpha = at.projected.columns(2 * q + 2 * v + heads, heads);
  backend.causal_conv(at.convolved, at.projected.columns(0, conv_width()), m_taps.view, {},
                      states.conv, step.batch.states, /*silu=*/true);
  backend.gated_delta(at.mixed.split_columns(m_sizes.value_dim),
                      at.convolved.columns(0, q).split_columns(m_sizes.key_dim),
                      at.convolved.columns(q, q).split_columns(m_sizes.key_dim),
                      at.convolved.columns(2 * q, v).split_columns(m_sizes.value_dim), alpha, beta,
                      states.matrices, step.batch.states, m_params);
  backend.gated_norm(at.mixed, gates, m_norm.view, m_norm_params);
  project(step, m_output, out, at.mixed, at.wanted);
}

void GatedDeltaNet::measure(Workspace& work, const MaxRows& most) const {
  const Workspace::Scope scope(work);
  take(work, most.tokens, most.logits);
}

void GatedDeltaNet::add_limits(StepLimits& limits, int64_t max_tokens) const {
  limits.activations.push_back({max_tokens, m_hidden_size});
  limits.activations.push_back({max_tokens, value_width()});
  limits.state_rows = std::max<int64_t>(limits.state_rows, m_sizes.key_dim);
  limits.state_columns = std::max<int64_t>(limits.state_columns, m_sizes.value_dim);
}

size_t GatedDeltaNet::size_bytes() const {
  return m_input.size_bytes() + m_taps.size_bytes() + m_decays.size_bytes() +
         m_dt_bias.size_bytes() + m_norm.size_bytes() + m_output.size_bytes();
}

GatedDeltaNet::Buffers GatedDeltaNet::take(Workspace& work, int64_t num_tokens,
                                           int64_t num_wanted) const {
  return {.projected = work.take(num_tokens, conv_width() + value_width() + 2 * m_sizes.num_heads),
          .convolved = work.take(num_tokens, conv_width()),
          .mixed = work.take(num_tokens, value_width()),
          .wanted = work.take(num_wanted, value_width())};
}

}  // namespace quire
