#include "engine/models/layers.h"

#include <cmath>

namespace quire {
namespace {

void apply(Backend& backend, TensorView out, ConstTensorView x, const Linear& linear) {
  backend.linear(out, x, *linear.weight, linear.bias.view);
}

/// The queries (T, H, D) within qkv.
TensorView queries(const ModelConfig& config, const Activations& at) {
  return at.qkv.columns(0, int64_t{1} * config.num_heads * config.head_dim)
      .split_columns(config.head_dim);
}

}  // namespace

Activations Activations::rows(int64_t count) const {
  return {.residual = residual.rows(0, count),
          .hidden = hidden.rows(0, count),
          .qkv = qkv.rows(0, count),
          .attended = attended.rows(0, count),
          .gate_up = gate_up.rows(0, count),
          .activated = activated.rows(0, count)};
}

void project_and_store(Backend& backend, const ModelConfig& config, const LayerWeights& layer,
                       const Activations& at, ConstTensorView cos_sin, ConstTensorView slots,
                       const KvLayerView& kv) {
  apply(backend, at.qkv, at.hidden, layer.qkv);
  const int64_t num_q = int64_t{1} * config.num_heads * config.head_dim;
  const int64_t num_kv = int64_t{1} * config.num_kv_heads * config.head_dim;
  const TensorView keys = at.qkv.columns(num_q, num_kv).split_columns(config.head_dim);
  const TensorView values = at.qkv.columns(num_q + num_kv, num_kv).split_columns(config.head_dim);
  backend.rope_and_store(queries(config, at), keys, values, cos_sin, slots, kv);
}

void attend(Backend& backend, const ModelConfig& config, const Activations& at,
            const AttentionBatch& batch, const KvLayerView& kv) {
  const AttentionParams params{.scale = 1.0f / std::sqrt(static_cast<float>(config.head_dim)),
                               .sliding_window = config.sliding_window};
  backend.attention(at.attended.split_columns(config.head_dim), queries(config, at), kv, batch,
                    params);
}

void project_and_feed_forward(Backend& backend, const ModelConfig& config,
                              const LayerWeights& layer, const Activations& at,
                              ConstTensorView next_norm) {
  apply(backend, at.hidden, at.attended, layer.output);
  backend.add_rms_norm(at.hidden, at.residual, at.hidden, layer.mlp_norm.view, config.rms_norm_eps);
  apply(backend, at.gate_up, at.hidden, layer.gate_up);
  backend.glu(at.activated, at.gate_up, {});
  apply(backend, at.hidden, at.activated, layer.down);
  backend.add_rms_norm(at.hidden, at.residual, at.hidden, next_norm, config.rms_norm_eps);
}

}  // namespace quire
