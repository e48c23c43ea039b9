#include "engine/models/layers/decoder_layer.h"

#include "engine/models/layers/attention.h"
#include "engine/models/layers/gated_delta_net.h"
#include "engine/models/layers/mamba2.h"
#include "engine/models/layers/mla.h"
#include "engine/models/layers/mlp.h"
#include "engine/models/layers/moe.h"
#include "engine/models/layers/short_conv.h"

namespace quire {
namespace {

MixerKind mixer_of(const ModelConfig& config, int index) {
  return config.layers[static_cast<size_t>(index)].mixer;
}

std::unique_ptr<Mixer> make_mixer(const ModelConfig& config, int index, LayerTensors& tensors) {
  switch (mixer_of(config, index)) {
    case MixerKind::kMla:
      return std::make_unique<Mla>(config, index, tensors);
    case MixerKind::kShortConv:
      return std::make_unique<ShortConv>(config, index, tensors);
    case MixerKind::kGatedDelta:
      return std::make_unique<GatedDeltaNet>(config, index, tensors);
    case MixerKind::kMamba2:
      return std::make_unique<Mamba2>(config, index, tensors);
    case MixerKind::kAttention:
      break;
  }
  return std::make_unique<Attention>(config, index, tensors);
}

}  // namespace

DecoderLayer::DecoderLayer(const ModelConfig& config, int index, LayerTensors tensors)
    : m_hidden_size(config.hidden_size), m_residual_scale(config.residual_scale) {
  const NormPlacement placement = config.norm_placement;
  const auto norm = [&](const char* name, bool is_post) {
    const float eps = is_post && config.post_norm_eps > 0 ? config.post_norm_eps : config.norm_eps;
    return tensors.norm(name, config.hidden_size, config.norm, eps);
  };
  m_mixer = make_mixer(config, index, tensors);
  if (config.layers[static_cast<size_t>(index)].has_experts) {
    m_feed_forward = std::make_unique<MoE>(config, tensors);
  } else {
    m_feed_forward = std::make_unique<Mlp>(config, config.intermediate_size, Mlp::Names{}, tensors);
  }
  m_is_parallel = placement == NormPlacement::kParallel || placement == NormPlacement::kParallelTwo;
  if (placement != NormPlacement::kPost) m_mixer_norm = norm("attn_norm", false);
  if (placement != NormPlacement::kPost && placement != NormPlacement::kParallel) {
    m_feed_forward_norm = norm("ffn_norm", false);
  }
  if (placement != NormPlacement::kPost && placement != NormPlacement::kSandwich) return;
  m_post_mixer_norm = norm("post_attention_norm", true);
  m_post_feed_forward_norm = norm("post_ffw_norm", true);
}

LayerCache DecoderLayer::cache_of(const ModelConfig& config, int index) {
  switch (mixer_of(config, index)) {
    case MixerKind::kMla:
      return Mla::cache_of(config);
    case MixerKind::kShortConv:
      return ShortConv::cache_of(config);
    case MixerKind::kGatedDelta:
      return GatedDeltaNet::cache_of(config);
    case MixerKind::kMamba2:
      return Mamba2::cache_of(config);
    case MixerKind::kAttention:
      break;
  }
  return Attention::cache_of(config);
}

Stream DecoderLayer::forward(const Mixer::Step& step, Stream stream, TensorView wanted_residual,
                             const Norm& next_norm) const {
  if (m_is_parallel) return forward_parallel(step, stream, wanted_residual, next_norm);
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

Stream DecoderLayer::forward_parallel(const Mixer::Step& step, Stream stream,
                                      TensorView wanted_residual, const Norm& next_norm) const {
  Backend& backend = step.backend;
  const int64_t count = step.rows ? step.rows->dim(0) : stream.hidden.dim(0);
  const Workspace::Scope scope(step.work);
  const TensorView mixed = step.work.take(count, m_hidden_size);
  const TensorView input = step.work.take(count, m_hidden_size);
  m_mixer->forward(step, mixed, stream.hidden);
  const TensorView hidden = stream.hidden.rows(0, count);
  if (count == 0) return {wanted_residual, hidden};
  if (step.rows) {
    backend.gather_rows(wanted_residual, stream.residual, *step.rows);
    backend.gather_rows(input, stream.hidden, *step.rows);
    stream.residual = wanted_residual;
  }
  ConstTensorView feed_forward_input = step.rows ? input : stream.hidden;
  if (m_feed_forward_norm.exists()) {
    m_feed_forward_norm.apply(backend, input, stream.residual);
    feed_forward_input = input;
  }
  m_feed_forward->forward(backend, step.work, hidden, feed_forward_input);
  backend.add(stream.residual, mixed);
  next_norm.add_and_apply(backend, hidden, stream.residual, hidden);
  return {stream.residual, hidden};
}

/// Adds a block's output (hidden) to the residual, and norms the sum for the next block.
void DecoderLayer::add(Backend& backend, const Stream& stream, const Norm& post_norm,
                       const Norm& next_norm) const {
  post_norm.apply(backend, stream.hidden, stream.hidden);
  if (m_residual_scale != 1.0f) backend.scale(stream.hidden, m_residual_scale);
  next_norm.add_and_apply(backend, stream.hidden, stream.residual, stream.hidden);
}

void DecoderLayer::measure(Workspace& work, const MaxRows& most) const {
  const Workspace::Scope scope(work);
  if (m_is_parallel) {
    work.take(most.tokens, m_hidden_size);
    work.take(most.tokens, m_hidden_size);
  }
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
