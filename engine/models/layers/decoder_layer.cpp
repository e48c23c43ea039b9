#include "engine/models/layers/decoder_layer.h"

#include "engine/models/layers/attention.h"
#include "engine/models/layers/mlp.h"
#include "engine/models/layers/moe.h"

namespace quire {

DecoderLayer::DecoderLayer(const ModelConfig& config, int index, LayerTensors tensors)
    : m_residual_scale(config.residual_scale) {
  const bool is_pre = config.norm_placement != NormPlacement::kPost;
  const bool is_post = config.norm_placement != NormPlacement::kPre;
  const auto norm = [&](const char* name) {
    return tensors.norm(name, config.hidden_size, config.rms_norm_eps);
  };
  m_mixer = std::make_unique<Attention>(config, index, tensors);
  if (config.layers[static_cast<size_t>(index)].has_experts) {
    m_feed_forward = std::make_unique<MoE>(config, tensors);
  } else {
    m_feed_forward = std::make_unique<Mlp>(config, tensors);
  }
  if (is_pre) m_mixer_norm = norm("attn_norm");
  if (is_pre) m_feed_forward_norm = norm("ffn_norm");
  if (is_post) m_post_mixer_norm = norm("post_attention_norm");
  if (is_post) m_post_feed_forward_norm = norm("post_ffw_norm");
}

Stream DecoderLayer::forward(const Mixer::Step& step, Stream stream, TensorView wanted_residual,
                             const Norm& next_norm) const {
  Backend& backend = step.backend;
  const ConstTensorView input = m_mixer_norm.exists() ? stream.hidden : stream.residual;
  if (step.rows) {
    const int64_t count = step.rows->dim(0);
    const TensorView hidden = stream.hidden.rows(0, count);
    m_mixer->forward(step, hidden, input);
    if (count == 0) return {wanted_residual, hidden};
    backend.gather_rows(wanted_residual, stream.residual, *step.rows);
    stream = {wanted_residual, hidden};
  } else {
    m_mixer->forward(step, stream.hidden, input);
  }
  add(backend, stream, m_post_mixer_norm, m_feed_forward_norm);
  m_feed_forward->forward(backend, step.work, stream.hidden,
                          m_feed_forward_norm.exists() ? stream.hidden : stream.residual);
  add(backend, stream, m_post_feed_forward_norm, next_norm);
  return stream;
}

/// Adds a block's output (hidden) to the residual, and norms the sum for the next block.
void DecoderLayer::add(Backend& backend, const Stream& stream, const Norm& post_norm,
                       const Norm& next_norm) const {
  post_norm.apply(backend, stream.hidden, stream.hidden);
  if (m_residual_scale != 1.0f) backend.scale(stream.hidden, m_residual_scale);
  next_norm.add_and_apply(backend, stream.hidden, stream.residual, stream.hidden);
}

void DecoderLayer::measure(Workspace& work, const MaxRows& most) const {
  m_mixer->measure(work, most);
  m_feed_forward->measure(work, most.tokens);
}

void DecoderLayer::add_limits(StepLimits& limits, int64_t max_tokens) const {
  m_mixer->add_limits(limits, max_tokens);
  m_feed_forward->add_limits(limits, max_tokens);
}

size_t DecoderLayer::size_bytes() const {
  size_t total = m_mixer->size_bytes() + m_feed_forward->size_bytes();
  for (const Norm* norm :
       {&m_mixer_norm, &m_post_mixer_norm, &m_feed_forward_norm, &m_post_feed_forward_norm}) {
    total += norm->size_bytes();
  }
  return total;
}

}  // namespace quire
