#include "engine/models/decoder.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/models/layers.h"
#include "engine/models/rope.h"

namespace quire {
namespace {

/// A tensor to allocate and where its view goes.
struct Buffer {
  TensorView* view;
  int64_t num_rows, num_columns;
  DType dtype = DType::kF32;
};

/// Buffers are allocated only for the kinds of layers that the model has: the sizes of the others
/// were not checked against any tensor.
bool has_layers(const ModelConfig& config, bool with_experts) {
  return std::ranges::count(config.layers, with_experts, &LayerConfig::has_experts) > 0;
}

std::vector<Buffer> attention_buffers(const ModelConfig& config, int64_t max_tokens,
                                      Activations& at) {
  const int64_t hidden = config.hidden_size;
  const int64_t num_q = int64_t{1} * config.num_heads * config.head_dim;
  const int64_t num_kv = int64_t{1} * config.num_kv_heads * config.head_dim;
  return {{&at.residual, max_tokens, hidden},
          {&at.hidden, max_tokens, hidden},
          {&at.qkv, max_tokens, num_q + 2 * num_kv},
          {&at.attended, max_tokens, num_q}};
}

std::vector<Buffer> mlp_buffers(const ModelConfig& config, int64_t max_tokens, Activations& at) {
  if (!has_layers(config, false)) return {};
  const int64_t width = config.intermediate_size;
  return {{&at.gate_up, max_tokens, 2 * width}, {&at.activated, max_tokens, width}};
}

std::vector<Buffer> expert_buffers(const ModelConfig& config, int64_t max_tokens, Activations& at) {
  if (!has_layers(config, true)) return {};
  const ExpertsConfig& experts = config.experts;
  const int64_t pairs = max_tokens * experts.experts_per_token;
  const int64_t width = experts.intermediate_size;
  return {{&at.router_logits, max_tokens, experts.num_experts},
          {&at.expert_ids, max_tokens, experts.experts_per_token, DType::kI32},
          {&at.expert_weights, max_tokens, experts.experts_per_token},
          {&at.expert_gate_up, pairs, 2 * width},
          {&at.expert_activated, pairs, width},
          {&at.expert_out, pairs, config.hidden_size}};
}

}  // namespace

/// The layers that one backend computes, with the embedding if it has the first layer and the head
/// if it has the last one.
class Decoder::Stage {
 public:
  /// config and weights are the whole model's and outlive the stage.
  Stage(const LayerRange& range, const ModelConfig& config, const DecoderWeights& weights);

  /// Once, before anything else. Errors: kOutOfMemory.
  Result<void> add_rotations();
  Result<void> reserve(int max_tokens, int max_logits);
  /// As Decoder::forward, of this range.
  void forward(const DeviceBatch& batch, const KvStorage& kv, TensorView logits);
  /// (T, C) f32: what enters the first layer, and what leaves the last one.
  TensorView residual(int64_t num_tokens) const { return m_work.residual.rows(0, num_tokens); }

 private:
  /// One way to rotate, and the rotations of a step's rows.
  struct Rotation {
    DeviceTensor inv_freq;  ///< (R) f32.
    float attention_factor = 1.0f;
    TensorView cos_sin;  ///< (T, 2 R) f32, within m_memory.
  };

  bool has_embedding() const { return m_range.first == 0; }
  bool has_head() const { return m_range.end() == m_config.num_layers; }
  Result<void> add_rotation(const std::vector<float>& inv_freq, float attention_factor);
  const Rotation& rotation_of(const LayerConfig& layer) const;
  ConstTensorView norm_after(int layer) const;
  void begin(const DeviceBatch& batch, const Activations& at);
  void finish(const Activations& at, TensorView logits);
  Activations narrow_to_logits_rows(const Activations& at, ConstTensorView rows);

  Backend& m_backend;
  const LayerRange m_range;
  const ModelConfig& m_config;
  const DecoderWeights& m_weights;
  std::vector<Rotation> m_rotations;  ///< Those of config.ropes, then the identity if it is needed.
  std::vector<DeviceTensor> m_memory;  ///< Of the views below.
  Activations m_work;                  ///< For max_tokens rows.
  TensorView m_last_residual;          ///< (max_logits, C) f32.
  TensorView m_last_attended;          ///< (max_logits, H D) f32.
};

Decoder::Stage::Stage(const LayerRange& range, const ModelConfig& config,
                      const DecoderWeights& weights)
    : m_backend(*range.backend), m_range(range), m_config(config), m_weights(weights) {
  CHECK(range.first >= 0 && range.count > 0 && range.end() <= config.num_layers);
}

Result<void> Decoder::Stage::add_rotations() {
  for (const RopeConfig& rope : m_config.ropes) {
    auto added = add_rotation(rope_inv_freq(rope, m_config.head_dim), rope_attention_factor(rope));
    if (!added) return added;
  }
  // Layers without rotation (NoPE) rotate one pair of dimensions by an angle of 0.
  const auto is_nope = [](const LayerConfig& layer) { return layer.rope < 0; };
  if (std::ranges::none_of(m_config.layers, is_nope)) return {};
  return add_rotation({0.0f}, 1.0f);
}

Result<void> Decoder::Stage::add_rotation(const std::vector<float>& inv_freq,
                                          float attention_factor) {
  auto tensor = allocate_tensor(m_backend, DType::kF32, {static_cast<int64_t>(inv_freq.size())});
  if (!tensor) return tensor.error();
  m_backend.upload(tensor->view.data(), inv_freq.data(), inv_freq.size() * sizeof(float));
  m_rotations.push_back({.inv_freq = std::move(*tensor), .attention_factor = attention_factor});
  return m_backend.synchronize();
}

const Decoder::Stage::Rotation& Decoder::Stage::rotation_of(const LayerConfig& layer) const {
  return layer.rope < 0 ? m_rotations.back() : m_rotations.at(static_cast<size_t>(layer.rope));
}

Result<void> Decoder::Stage::reserve(int max_tokens, int max_logits) {
  CHECK(max_tokens > 0 && max_logits > 0);
  if (!m_memory.empty()) {
    if (max_tokens <= m_work.residual.dim(0) && max_logits <= m_last_residual.dim(0)) return {};
    max_tokens = std::max(max_tokens, static_cast<int>(m_work.residual.dim(0)));
    max_logits = std::max(max_logits, static_cast<int>(m_last_residual.dim(0)));
  }
  std::vector<Buffer> buffers;
  for (const auto& buffers_of : {attention_buffers, mlp_buffers, expert_buffers}) {
    for (const Buffer& buffer : buffers_of(m_config, max_tokens, m_work)) buffers.push_back(buffer);
  }
  for (Rotation& rotation : m_rotations) {
    buffers.push_back({&rotation.cos_sin, max_tokens, 2 * rotation.inv_freq.view.dim(0)});
  }
  buffers.push_back({&m_last_residual, max_logits, m_config.hidden_size});
  buffers.push_back(
      {&m_last_attended, max_logits, int64_t{1} * m_config.num_heads * m_config.head_dim});
  std::vector<DeviceTensor> memory;
  for (const Buffer& buffer : buffers) {
    auto tensor = allocate_tensor(m_backend, buffer.dtype, {buffer.num_rows, buffer.num_columns});
    if (!tensor) return tensor.error();
    memory.push_back(std::move(*tensor));
  }
  for (size_t i = 0; i < memory.size(); ++i) *buffers[i].view = memory[i].view;
  m_memory = std::move(memory);  // Frees the smaller buffers only after all was allocated.
  return {};
}

void Decoder::Stage::forward(const DeviceBatch& batch, const KvStorage& kv, TensorView logits) {
  const int64_t num_tokens = batch.ids.dim(0);
  const int64_t num_logits = batch.logits_rows.dim(0);
  CHECK(num_tokens > 0 && num_logits <= m_last_residual.dim(0));
  Activations at = m_work.rows(num_tokens);
  begin(batch, at);
  const auto& layers = m_weights.layers;
  for (int i = m_range.first; i < m_range.end(); ++i) {
    const auto index = static_cast<size_t>(i);
    const bool is_last = i + 1 == m_config.num_layers;
    const LayerConfig& layer_config = m_config.layers[index];
    const KvLayerView pages = kv.layer(i);
    const AttentionStep step{.config = m_config,
                             .layer_config = layer_config,
                             .layer = layers[index],
                             .at = at,
                             .cos_sin = rotation_of(layer_config).cos_sin.rows(0, num_tokens),
                             .slots = batch.slot_mapping,
                             .batch = batch.attention,
                             .kv = pages};
    project_and_store(m_backend, step);
    if (is_last && num_logits == 0) return;  // Keys and values are stored; nothing else is needed.
    attend(m_backend, step);
    // After the last attention, only the rows whose logits are wanted are computed.
    if (is_last) at = narrow_to_logits_rows(at, batch.logits_rows);
    project_and_feed_forward(m_backend, m_config, layers[index], at, norm_after(i));
  }
  if (has_head()) finish(at, logits);
}

/// The norm before the next layer of this stage, or before the head; empty if another stage
/// computes the next layer.
ConstTensorView Decoder::Stage::norm_after(int layer) const {
  if (layer + 1 == m_config.num_layers) return m_weights.final_norm.view;
  if (layer + 1 == m_range.end()) return {};
  return m_weights.layers[static_cast<size_t>(layer) + 1].attention_norm.view;
}

/// Computes embeddings, rotations, and the input of the first layer.
void Decoder::Stage::begin(const DeviceBatch& batch, const Activations& at) {
  if (has_embedding()) {
    m_backend.embed(at.residual, *m_weights.embedding, batch.ids, m_config.embedding_scale);
  }
  for (const Rotation& rotation : m_rotations) {
    m_backend.rope_cos_sin(rotation.cos_sin.rows(0, batch.ids.dim(0)), batch.positions,
                           rotation.inv_freq.view, rotation.attention_factor);
  }
  const auto first = static_cast<size_t>(m_range.first);
  const ConstTensorView norm = m_weights.layers[first].attention_norm.view;
  if (!norm.empty()) m_backend.rms_norm(at.hidden, at.residual, norm, m_config.rms_norm_eps);
}

void Decoder::Stage::finish(const Activations& at, TensorView logits) {
  m_backend.linear(logits, at.hidden, m_weights.head(), {});
  if (m_config.logits_scale != 1.0f) m_backend.scale(logits, m_config.logits_scale);
  if (m_config.logits_soft_cap > 0.0f) m_backend.soft_cap(logits, m_config.logits_soft_cap);
}

Activations Decoder::Stage::narrow_to_logits_rows(const Activations& at, ConstTensorView rows) {
  const int64_t count = rows.dim(0);
  Activations narrowed = m_work.rows(count);
  narrowed.residual = m_last_residual.rows(0, count);
  narrowed.attended = m_last_attended.rows(0, count);
  m_backend.gather_rows(narrowed.residual, at.residual, rows);
  m_backend.gather_rows(narrowed.attended, at.attended, rows);
  return narrowed;
}

Decoder::Decoder(LayerPlacement placement, ModelConfig config, DecoderWeights weights)
    : m_placement(std::move(placement)),
      m_config(std::move(config)),
      m_weights(std::move(weights)) {}
Decoder::~Decoder() = default;

Result<std::unique_ptr<Decoder>> Decoder::create(LayerPlacement placement, ModelConfig config,
                                                 DecoderWeights weights) {
  CHECK(static_cast<int>(config.layers.size()) == config.num_layers);
  CHECK(!placement.empty() && placement.back().end() == config.num_layers);
  std::unique_ptr<Decoder> decoder(
      new Decoder(std::move(placement), std::move(config), std::move(weights)));
  for (const LayerRange& range : decoder->m_placement) {
    decoder->m_stages.push_back(
        std::make_unique<Stage>(range, decoder->m_config, decoder->m_weights));
    if (auto added = decoder->m_stages.back()->add_rotations(); !added) return added.error();
  }
  return decoder;
}

Result<void> Decoder::reserve(int max_tokens, int max_logits) {
  for (const auto& stage : m_stages) {
    if (auto reserved = stage->reserve(max_tokens, max_logits); !reserved) return reserved;
  }
  return {};
}

void Decoder::forward(size_t range, const DeviceBatch& batch, const KvStorage& kv,
                      TensorView logits) {
  m_stages.at(range)->forward(batch, kv, logits);
}

TensorView Decoder::residual(size_t range, int64_t num_tokens) const {
  return m_stages.at(range)->residual(num_tokens);
}

}  // namespace quire
