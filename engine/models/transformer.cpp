#include "engine/models/transformer.h"

#include <algorithm>
#include <utility>

#include "engine/models/rope.h"

namespace quire {

size_t DecoderWeights::size_bytes() const {
  size_t total = embedding.size_bytes() + final_norm.size_bytes() + lm_head.size_bytes();
  for (const LayerWeights& layer : layers) {
    total += layer.attention_norm.size_bytes() + layer.qkv.size_bytes() +
             layer.output.size_bytes() + layer.mlp_norm.size_bytes() + layer.gate_up.size_bytes() +
             layer.down.size_bytes();
  }
  return total;
}

TransformerDecoder::TransformerDecoder(Backend& backend, ModelConfig config, DecoderWeights weights)
    : m_backend(backend), m_config(std::move(config)), m_weights(std::move(weights)) {}

Result<std::unique_ptr<Decoder>> TransformerDecoder::create(Backend& backend, ModelConfig config,
                                                            DecoderWeights weights) {
  std::unique_ptr<TransformerDecoder> decoder(
      new TransformerDecoder(backend, std::move(config), std::move(weights)));
  if (auto uploaded = decoder->upload_frequencies(); !uploaded) return uploaded.error();
  return std::unique_ptr<Decoder>(std::move(decoder));
}

Result<void> TransformerDecoder::upload_frequencies() {
  const std::vector<float> frequencies = rope_inv_freq(m_config.rope, m_config.head_dim);
  auto tensor = allocate_tensor(m_backend, DType::kF32, {static_cast<int64_t>(frequencies.size())});
  if (!tensor) return tensor.error();
  m_inv_freq = std::move(*tensor);
  m_backend.upload(m_inv_freq.view.data(), frequencies.data(), frequencies.size() * sizeof(float));
  return m_backend.synchronize();
}

Result<void> TransformerDecoder::reserve(int max_tokens, int max_logits) {
  CHECK(max_tokens > 0 && max_logits > 0);
  if (!m_memory.empty()) {
    if (max_tokens <= m_work.residual.dim(0) && max_logits <= m_last_residual.dim(0)) return {};
    max_tokens = std::max(max_tokens, static_cast<int>(m_work.residual.dim(0)));
    max_logits = std::max(max_logits, static_cast<int>(m_last_residual.dim(0)));
  }
  const int64_t hidden = m_config.hidden_size;
  const int64_t num_q = int64_t{1} * m_config.num_heads * m_config.head_dim;
  const int64_t num_kv = int64_t{1} * m_config.num_kv_heads * m_config.head_dim;
  const struct {
    TensorView* view;
    int64_t num_rows, num_columns;
  } kBuffers[] = {
      {&m_work.residual, max_tokens, hidden},
      {&m_work.hidden, max_tokens, hidden},
      {&m_work.qkv, max_tokens, num_q + 2 * num_kv},
      {&m_work.attended, max_tokens, num_q},
      {&m_work.gate_up, max_tokens, int64_t{2} * m_config.intermediate_size},
      {&m_work.activated, max_tokens, m_config.intermediate_size},
      {&m_cos_sin, max_tokens, 2 * m_inv_freq.view.dim(0)},
      {&m_last_residual, max_logits, hidden},
      {&m_last_attended, max_logits, num_q},
  };
  std::vector<DeviceTensor> memory;
  for (const auto& buffer : kBuffers) {
    auto tensor = allocate_tensor(m_backend, DType::kF32, {buffer.num_rows, buffer.num_columns});
    if (!tensor) return tensor.error();
    memory.push_back(std::move(*tensor));
  }
  for (size_t i = 0; i < memory.size(); ++i) *kBuffers[i].view = memory[i].view;
  m_memory = std::move(memory);  // Only now is the smaller space given up.
  return {};
}

void TransformerDecoder::forward(const DeviceBatch& batch, const KvStorage& kv, TensorView logits) {
  const int64_t num_tokens = batch.ids.dim(0);
  const int64_t num_logits = batch.logits_rows.dim(0);
  CHECK(num_tokens > 0 && num_logits <= m_last_residual.dim(0));
  Activations at = m_work.rows(num_tokens);
  const TensorView cos_sin = m_cos_sin.rows(0, num_tokens);
  const auto& layers = m_weights.layers;

  m_backend.embed(at.residual, m_weights.embedding.view, batch.ids, 1.0f);
  m_backend.rope_cos_sin(cos_sin, batch.positions, m_inv_freq.view, 1.0f);
  m_backend.rms_norm(at.hidden, at.residual, layers[0].attention_norm.view, m_config.rms_norm_eps);
  for (size_t i = 0; i < layers.size(); ++i) {
    const bool is_last = i + 1 == layers.size();
    const KvLayerView pages = kv.layer(static_cast<int>(i));
    project_and_store(m_backend, m_config, layers[i], at, cos_sin, batch.slot_mapping, pages);
    if (is_last && num_logits == 0) return;  // The pages are filled, and nothing else is asked for.
    attend(m_backend, m_config, at, batch.attention, pages);
    // Past the last attention, only rows whose logits are wanted matter.
    if (is_last) at = narrow_to_logits_rows(at, batch.logits_rows);
    const auto& next = is_last ? m_weights.final_norm : layers[i + 1].attention_norm;
    project_and_feed_forward(m_backend, m_config, layers[i], at, next.view);
  }
  m_backend.linear(logits, at.hidden, *m_weights.lm_head.weight, m_weights.lm_head.bias.view);
}

Activations TransformerDecoder::narrow_to_logits_rows(const Activations& at, ConstTensorView rows) {
  const int64_t count = rows.dim(0);
  Activations narrowed = m_work.rows(count);
  narrowed.residual = m_last_residual.rows(0, count);
  narrowed.attended = m_last_attended.rows(0, count);
  m_backend.gather_rows(narrowed.residual, at.residual, rows);
  m_backend.gather_rows(narrowed.attended, at.attended, rows);
  return narrowed;
}

}  // namespace quire
