#include "engine/models/layers/decoder_layer.h"

#include <algorithm>

#include "engine/models/layers/attention.h"
#include "engine/models/layers/attention_and_mamba2.h"
#include "engine/models/layers/experts_beside_mlp.h"
#include "engine/models/layers/gated_delta_net.h"
#include "engine/models/layers/mamba2.h"
#include "engine/models/layers/mla.h"
#include "engine/models/layers/mlp.h"
#include "engine/models/layers/moe.h"
#include "engine/models/layers/short_conv.h"

namespace quire {
namespace {

/// What is to be known of a mixer before one is made.
struct MixerType {
  std::unique_ptr<Mixer> (*make)(const ModelConfig& config, int index, LayerTensors& tensors);
  LayerCache (*cache_of)(const ModelConfig& config, int index);
};

template <typename T>
constexpr MixerType kMixerType = {
    [](const ModelConfig& config, int index, LayerTensors& tensors) -> std::unique_ptr<Mixer> {
      return std::make_unique<T>(config, index, tensors);
    },
    &T::cache_of};

/// Null for a layer that does not mix.
const MixerType* mixer_type(const LayerConfig& layer) {
  switch (layer.mixer) {
    case MixerKind::kAttention:
      return &kMixerType<Attention>;
    case MixerKind::kMla:
      return &kMixerType<Mla>;
    case MixerKind::kShortConv:
      return &kMixerType<ShortConv>;
    case MixerKind::kGatedDelta:
      return &kMixerType<GatedDeltaNet>;
    case MixerKind::kMamba2:
      return &kMixerType<Mamba2>;
    case MixerKind::kAttentionAndMamba2:
      return &kMixerType<AttentionAndMamba2>;
    case MixerKind::kNone:
      break;
  }
  return nullptr;
}

/// Whether the layer's feed-forward block norms its input itself.
bool norms_itself(const ModelConfig& config, int index) {
  return config.mlp_beside_experts && config.layers[static_cast<size_t>(index)].has_experts;
}

std::unique_ptr<FeedForward> make_feed_forward(const ModelConfig& config, int index,
                                               LayerTensors& tensors) {
  const LayerConfig& layer = config.layers[static_cast<size_t>(index)];
  if (!layer.has_feed_forward) return nullptr;
  if (norms_itself(config, index)) {
    return std::make_unique<ExpertsBesideMlp>(config, index, tensors);
  }
  if (layer.has_experts) return std::make_unique<MoE>(config, tensors);
  return std::make_unique<Mlp>(config, index, tensors);
}

}  // namespace

DecoderLayer::DecoderLayer(const ModelConfig& config, int index, LayerTensors tensors)
    : m_hidden_size(config.hidden_size), m_residual_scale(config.residual_scale) {
  if (config.alt_up.num_streams > 0) {
    m_alt_up = std::make_unique<AltUpLayer>(config, index, tensors);
    return;
  }
  const LayerConfig& layer = config.layers[static_cast<size_t>(index)];
  if (const MixerType* const type = mixer_type(layer)) m_mixer = type->make(config, index, tensors);
  m_feed_forward = make_feed_forward(config, index, tensors);
  const NormPlacement placement = config.norm_placement;
  m_is_parallel = placement == NormPlacement::kParallel || placement == NormPlacement::kParallelTwo;
  CHECK(m_mixer || m_feed_forward);
  CHECK(!m_is_parallel || (m_mixer && m_feed_forward && m_residual_scale == 1.0f &&
                           !config.has_layer_scale && config.per_layer.width == 0));
  load_norms(config, index, tensors);
  if (config.per_layer.width > 0) m_per_layer = std::make_unique<PerLayerInput>(config, tensors);
  if (config.has_layer_scale) m_output_scale = tensors.number("layer_output_scale.weight");
}

/// The norm before a layer's only block is called as that before a mixer.
void DecoderLayer::load_norms(const ModelConfig& config, int index, LayerTensors& tensors) {
  const NormPlacement placement = config.norm_placement;
  const auto norm = [&](const char* name, bool is_post) {
    const float eps = is_post && config.post_norm_eps > 0 ? config.post_norm_eps : config.norm_eps;
    return tensors.norm(name, config.hidden_size, config.norm, eps);
  };
  if (placement != NormPlacement::kPost) {
    if (m_mixer) m_mixer_norm = norm("attn_norm", false);
    if (m_feed_forward && placement != NormPlacement::kParallel && !norms_itself(config, index)) {
      m_feed_forward_norm = norm(m_mixer ? "ffn_norm" : "attn_norm", false);
    }
  }
  if (placement != NormPlacement::kPost && placement != NormPlacement::kSandwich) return;
  if (m_mixer) m_post_mixer_norm = norm("post_attention_norm", true);
  if (m_feed_forward) m_post_feed_forward_norm = norm("post_ffw_norm", true);
}

LayerCache DecoderLayer::cache_of(const ModelConfig& config, int index) {
  const MixerType* const type = mixer_type(config.layers[static_cast<size_t>(index)]);
  return type ? type->cache_of(config, index) : LayerCache{};
}

/// Blocks beside each other read one input, and those of AltUp norm it themselves.
DType DecoderLayer::input_dtype(const Backend& backend) const {
  if (m_alt_up || m_is_parallel) return DType::kF32;
  if (!m_mixer) return feed_forward_dtype(backend);
  return m_mixer_norm.exists() ? m_mixer->input_dtype(backend) : DType::kF32;
}

DType DecoderLayer::feed_forward_dtype(const Backend& backend) const {
  return m_feed_forward_norm.exists() ? m_feed_forward->input_dtype(backend) : DType::kF32;
}

Stream DecoderLayer::forward(const Mixer::Step& step, Stream stream, TensorView wanted_residual,
                             const NextBlock& next) const {
  if (m_alt_up) {
    m_alt_up->forward(step, stream.residual, wanted_residual);
    if (!step.rows) return stream;
    return {wanted_residual, stream.hidden.rows(0, step.rows->dim(0))};
  }
  if (m_is_parallel) return forward_parallel(step, stream, wanted_residual, next);
  Backend& backend = step.backend;
  const int64_t count = step.rows ? step.rows->dim(0) : stream.hidden.dim(0);
  const TensorView hidden = stream.hidden.rows(0, count);
  if (m_mixer) {
    m_mixer->forward(step, hidden, m_mixer_norm.exists() ? stream.input() : stream.residual);
  }
  if (step.rows) {
    if (count == 0) return {wanted_residual, hidden};
    backend.gather_rows(wanted_residual, stream.residual, *step.rows);
    stream = {wanted_residual, hidden, stream.quantized, stream.input_dtype};
  }
  const NextBlock own_next = {m_feed_forward_norm, feed_forward_dtype(backend)};
  if (m_mixer) {
    stream = add(backend, stream, m_post_mixer_norm, m_feed_forward ? own_next : next);
  } else if (step.rows) {
    m_feed_forward_norm.apply(backend, stream.input(), stream.residual);
  }
  if (!m_feed_forward) return stream;
  m_feed_forward->forward(backend, step.work, stream.hidden,
                          m_feed_forward_norm.exists() ? stream.input() : stream.residual);
  if (!has_tail()) return add(backend, stream, m_post_feed_forward_norm, next);
  return add_tail(step, add(backend, stream, m_post_feed_forward_norm, {Norm()}), next);
}

/// Adds what the layer makes of the per-layer embeddings, scales the residual, and norms it.
Stream DecoderLayer::add_tail(const Mixer::Step& step, const Stream& stream,
                              const NextBlock& next) const {
  if (m_per_layer) {
    m_per_layer->forward(step, stream.hidden, stream.residual);
    step.backend.add(stream.residual, stream.hidden);
  }
  if (m_output_scale != 1.0f) step.backend.scale(stream.residual, m_output_scale);
  const Stream normed = stream.before(next.input_dtype);
  next.norm.apply(step.backend, normed.input(), normed.residual);
  return normed;
}

Stream DecoderLayer::forward_parallel(const Mixer::Step& step, Stream stream,
                                      TensorView wanted_residual, const NextBlock& next) const {
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
  const Stream result = {stream.residual, hidden, stream.quantized};
  return add(backend, result, Norm(), next);
}

/// Adds a block's output (hidden) to the residual, and norms the sum for the next block.
Stream DecoderLayer::add(Backend& backend, const Stream& stream, const Norm& post_norm,
                         const NextBlock& next) const {
  post_norm.apply(backend, stream.hidden, stream.hidden);
  if (m_residual_scale != 1.0f) backend.scale(stream.hidden, m_residual_scale);
  const Stream normed = stream.before(next.input_dtype);
  next.norm.add_and_apply(backend, normed.input(), normed.residual, normed.hidden);
  return normed;
}

void DecoderLayer::measure(Workspace& work, const MaxRows& most) const {
  if (m_alt_up) return m_alt_up->measure(work, most);
  const Workspace::Scope scope(work);
  if (m_is_parallel) {
    work.take(most.tokens, m_hidden_size);
    work.take(most.tokens, m_hidden_size);
  }
  if (m_mixer) m_mixer->measure(work, most);
  if (m_feed_forward) m_feed_forward->measure(work, most.tokens);
  if (m_per_layer) m_per_layer->measure(work, std::max(most.tokens, most.logits));
}

void DecoderLayer::add_limits(StepLimits& limits, int64_t max_tokens) const {
  if (m_alt_up) return m_alt_up->add_limits(limits, max_tokens);
  if (m_mixer) m_mixer->add_limits(limits, max_tokens);
  if (m_feed_forward) m_feed_forward->add_limits(limits, max_tokens);
  if (m_per_layer) m_per_layer->add_limits(limits, max_tokens);
}

size_t DecoderLayer::size_bytes() const {
  if (m_alt_up) return m_alt_up->size_bytes();
  size_t total = m_mixer ? m_mixer->size_bytes() : 0;
  if (m_feed_forward) total += m_feed_forward->size_bytes();
  for (const Norm* norm :
       {&m_mixer_norm, &m_post_mixer_norm, &m_feed_forward_norm, &m_post_feed_forward_norm}) {
    total += norm->size_bytes();
  }
  if (m_per_layer) total += m_per_layer->size_bytes();
  return total;
}

}  // namespace quire
