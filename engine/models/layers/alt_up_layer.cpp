#include "engine/models/layers/alt_up_layer.h"

#include <algorithm>
#include <cmath>

namespace quire {

AltUpLayer::AltUpLayer(const ModelConfig& config, int index, LayerTensors& tensors)
    : m_hidden_size(config.hidden_size),
      m_num_streams(config.alt_up.num_streams),
      m_laurel_rank(config.alt_up.laurel_rank),
      m_alt_up(config, tensors),
      m_input_norm(tensors.rms_norm("attn_norm", config)),
      m_attention(config, index, tensors),
      m_post_attention_norm(tensors.rms_norm("post_attention_norm", config)),
      m_laurel_left(tensors.linear({{"laurel_l", m_laurel_rank}}, m_hidden_size, false)),
      m_laurel_right(tensors.linear({{"laurel_r", m_hidden_size}}, m_laurel_rank, false)),
      m_laurel_norm(tensors.rms_norm("laurel_post_norm", config)),
      m_mlp_norm(tensors.rms_norm("ffn_norm", config)),
      m_mlp(config, index, tensors),
      m_post_mlp_norm(tensors.rms_norm("post_ffw_norm", config)),
      m_per_layer(config, tensors) {}

void AltUpLayer::forward(const Mixer::Step& step, TensorView streams, TensorView wanted) const {
  const Workspace::Scope scope(step.work);
  Backend& backend = step.backend;
  const int64_t num_wanted = step.rows ? step.rows->dim(0) : 0;
  const Buffers at = take(step.work, streams.dim(0), num_wanted);
  m_alt_up.predict(backend, step.work, at.predicted, streams);
  m_input_norm.apply(backend, at.normed, m_alt_up.active(at.predicted));
  if (!step.rows) {
    m_attention.forward(step, at.hidden, at.normed);
    compute_rows(step, at);
    const auto count = static_cast<size_t>(streams.num_elements());
    return backend.copy(streams.data(), at.predicted.data(), count * sizeof(float));
  }
  const Buffers rows = {.predicted = wanted,
                        .laurel = at.laurel.rows(0, num_wanted),
                        .low_rank = at.low_rank.rows(0, num_wanted),
                        .normed = at.wanted_normed,
                        .hidden = at.hidden.rows(0, num_wanted),
                        .wanted_normed = {}};
  m_attention.forward(step, rows.hidden, at.normed);
  if (num_wanted == 0) return;
  backend.gather_rows(rows.normed, at.normed, *step.rows);
  backend.gather_rows(rows.predicted, at.predicted, *step.rows);
  compute_rows(step, rows);
}

/// From what attention gave (hidden), what it read (normed) and the predicted streams, which become
/// the corrected ones.
void AltUpLayer::compute_rows(const Mixer::Step& step, const Buffers& at) const {
  Backend& backend = step.backend;
  m_laurel_left.apply(backend, at.low_rank, at.normed);
  m_laurel_right.apply(backend, at.laurel, at.low_rank);
  m_laurel_norm.apply(backend, at.laurel, at.laurel);
  backend.add(at.laurel, at.normed);
  m_post_attention_norm.apply(backend, at.hidden, at.hidden);
  backend.add(at.hidden, m_alt_up.active(at.predicted));
  backend.add(at.hidden, at.laurel);
  backend.scale(at.hidden, static_cast<float>(1.0 / std::sqrt(2.0)));
  m_mlp_norm.apply(backend, at.normed, at.hidden);
  m_mlp.forward(backend, step.work, at.normed, at.normed);
  m_post_mlp_norm.apply(backend, at.normed, at.normed);
  backend.add(at.hidden, at.normed);
  m_alt_up.correct(backend, step.work, at.predicted, at.hidden);
  m_per_layer.forward(step, at.normed, at.hidden);
  for (int i = 1; i < m_num_streams; ++i) {
    backend.add(m_alt_up.stream(at.predicted, i), at.normed);
  }
}

void AltUpLayer::measure(Workspace& work, const MaxRows& most) const {
  const Workspace::Scope scope(work);
  const int64_t rows = std::max(most.tokens, most.logits);
  take(work, rows, most.logits);
  m_alt_up.measure(work, rows);
  m_attention.measure(work, most);
  m_mlp.measure(work, rows);
  m_per_layer.measure(work, rows);
}

void AltUpLayer::add_limits(StepLimits& limits, int64_t max_tokens) const {
  m_alt_up.add_limits(limits, max_tokens);
  m_attention.add_limits(limits, max_tokens);
  m_mlp.add_limits(limits, max_tokens);
  m_per_layer.add_limits(limits, max_tokens);
  limits.activations.push_back({max_tokens, m_laurel_rank});
}

size_t AltUpLayer::size_bytes() const {
  size_t total = m_alt_up.size_bytes() + m_attention.size_bytes() + m_laurel_left.size_bytes() +
                 m_laurel_right.size_bytes() + m_mlp.size_bytes() + m_per_layer.size_bytes();
  for (const Norm* norm :
       {&m_input_norm, &m_post_attention_norm, &m_laurel_norm, &m_mlp_norm, &m_post_mlp_norm}) {
    total += norm->size_bytes();
  }
  return total;
}

AltUpLayer::Buffers AltUpLayer::take(Workspace& work, int64_t num_tokens,
                                     int64_t num_wanted) const {
  return {.predicted = work.take(num_tokens, m_num_streams * m_hidden_size),
          .laurel = work.take(num_tokens, m_hidden_size),
          .low_rank = work.take(num_tokens, m_laurel_rank),
          .normed = work.take(num_tokens, m_hidden_size),
          .hidden = work.take(num_tokens, m_hidden_size),
          .wanted_normed = work.take(num_wanted, m_hidden_size)};
}

}  // namespace quire
