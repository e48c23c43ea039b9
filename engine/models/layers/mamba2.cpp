#include "engine/models/layers/mamba2.h"

#include <algorithm>
#include <utility>

namespace quire {

Mamba2::Mamba2(const ModelConfig& config, int index, LayerTensors& tensors)
    : m_index(index), m_hidden_size(config.hidden_size), m_sizes(config.recurrent) {
  const int64_t heads = m_sizes.num_heads;
  m_input = tensors.linear({{"ssm_in", inner_width() + conv_width() + heads}}, m_hidden_size,
                           m_sizes.has_bias);
  m_taps = tensors.parameters("ssm_conv1d.weight", conv_width(), m_sizes.conv_taps);
  if (m_sizes.has_conv_bias) m_bias = tensors.vector("ssm_conv1d.bias", conv_width());
  m_decays = tensors.decays("ssm_a", heads);
  m_dt_bias = tensors.vector("ssm_dt.bias", heads);
  m_skip = tensors.parameters("ssm_d", heads, 1);
  load_norm(config, tensors);
  m_params = {.a = m_decays.view,
              .dt_bias = m_dt_bias.view,
              .d = m_skip.view,
              .dt_min = m_sizes.dt_min,
              .dt_max = m_sizes.dt_max};
  m_output = tensors.linear({{"ssm_out", m_hidden_size}}, inner_width(), m_sizes.has_bias);
}

void Mamba2::load_norm(const ModelConfig& config, LayerTensors& tensors) {
  if (m_sizes.gating == ScanGating::kGateAlone) return;
  // GGUF's files have a row for each group.
  const int64_t groups = m_sizes.num_norm_groups;
  if (groups > 1 && tensors.num_rows("ssm_norm") == groups) {
    m_norm = tensors.parameters("ssm_norm.weight", groups, inner_width() / groups);
    if (!m_norm.view.empty()) m_norm.view = {m_norm.view.data(), DType::kF32, {inner_width()}};
  } else {
    m_norm = tensors.parameters("ssm_norm.weight", inner_width(), 1);
  }
  m_norm_params = {.group_size = inner_width() / groups,
                   .eps = config.norm_eps,
                   .gate_first = m_sizes.gating == ScanGating::kGateThenNorm};
}

LayerCache Mamba2::cache_of(const ModelConfig& config, int /*index*/) {
  const RecurrentConfig& sizes = config.recurrent;
  const int64_t width =
      int64_t{sizes.num_heads} * sizes.value_dim + 2 * int64_t{sizes.num_groups} * sizes.key_dim;
  return {.pages = {},
          .state = StateShape{.conv_rows = sizes.conv_taps - 1,
                              .conv_width = width,
                              .num_heads = sizes.num_heads,
                              .rows = sizes.value_dim,
                              .columns = sizes.key_dim}};
}

void Mamba2::forward(const Step& step, TensorView out, ConstTensorView in) const {
  const Workspace::Scope scope(step.work);
  Backend& backend = step.backend;
  const Buffers at = take(step.work, in.dim(0), step.rows ? step.rows->dim(0) : 0);
  const StateLayerView states = step.kv.state(m_index);
  const int64_t inner = inner_width(), group = group_width();
  m_input.apply(backend, at.projected, in);
  scale(backend, at.projected);
  const TensorView gates = at.projected.columns(0, inner);
  const TensorView steps = at.projected.columns(inner + conv_width(), m_sizes.num_heads);
  backend.causal_conv(at.convolved, at.projected.columns(inner, conv_width()), m_taps.view,
                      m_bias.view, states.conv, step.batch.states, /*silu=*/true);
  backend.mamba2_scan(at.mixed.split_columns(m_sizes.value_dim),
                      at.convolved.columns(0, inner).split_columns(m_sizes.value_dim),
                      at.convolved.columns(inner, group).split_columns(m_sizes.key_dim),
                      at.convolved.columns(inner + group, group).split_columns(m_sizes.key_dim),
                      steps, states.matrices, step.batch.states, m_params);
  apply_gates(backend, at.mixed, gates);
  project(step, m_output, out, at.mixed, at.wanted);
}

void Mamba2::scale(Backend& backend, TensorView projected) const {
  const auto& [gates, x, b, c, time_steps] = m_sizes.scales;
  const int64_t inner = inner_width(), group = group_width();
  const std::pair<int64_t, float> parts[] = {
      {inner, gates}, {inner, x}, {group, b}, {group, c}, {m_sizes.num_heads, time_steps}};
  int64_t begin = 0;
  for (const auto& [width, factor] : parts) {
    if (factor != 1.0f) backend.scale(projected.columns(begin, width), factor);
    begin += width;
  }
}

/// Gates are overwritten.
void Mamba2::apply_gates(Backend& backend, TensorView mixed, TensorView gates) const {
  if (m_sizes.gating != ScanGating::kGateAlone) {
    return backend.gated_norm(mixed, gates, m_norm.view, m_norm_params);
  }
  backend.activate(gates, {.kind = Activation::Kind::kSilu});
  backend.multiply(mixed, gates);
}

void Mamba2::measure(Workspace& work, const MaxRows& most) const {
  const Workspace::Scope scope(work);
  take(work, most.tokens, most.logits);
}

void Mamba2::add_limits(StepLimits& limits, int64_t max_tokens) const {
  limits.activations.push_back({max_tokens, m_hidden_size});
  limits.activations.push_back({max_tokens, inner_width()});
  limits.state_rows = std::max<int64_t>(limits.state_rows, m_sizes.value_dim);
  limits.state_columns = std::max<int64_t>(limits.state_columns, m_sizes.key_dim);
}

size_t Mamba2::size_bytes() const {
  return m_input.size_bytes() + m_taps.size_bytes() + m_bias.size_bytes() + m_decays.size_bytes() +
         m_dt_bias.size_bytes() + m_skip.size_bytes() + m_norm.size_bytes() + m_output.size_bytes();
}

Mamba2::Buffers Mamba2::take(Workspace& work, int64_t num_tokens, int64_t num_wanted) const {
  return {.projected = work.take(num_tokens, inner_width() + conv_width() + m_sizes.num_heads),
          .convolved = work.take(num_tokens, conv_width()),
          .mixed = work.take(num_tokens, inner_width()),
          .wanted = work.take(num_wanted, inner_width())};
}

}  // namespace quire
