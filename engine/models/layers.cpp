#include "engine/models/layers.h"

#include <cmath>

namespace quire {
namespace {

void apply(Backend& backend, TensorView out, ConstTensorView x, const Linear& linear) {
  backend.linear(out, x, *linear.weight, linear.bias.view);
}

/// The queries, keys and values (T, heads, D) within qkv.
struct QkvViews {
  TensorView queries, keys, values;
};
QkvViews split(const ModelConfig& config, TensorView qkv) {
  const int64_t num_q = int64_t{1} * config.num_heads * config.head_dim;
  const int64_t num_kv = int64_t{1} * config.num_kv_heads * config.head_dim;
  const auto heads = [&](int64_t begin, int64_t count) {
    return qkv.columns(begin, count).split_columns(config.head_dim);
  };
  return {heads(0, num_q), heads(num_q, num_kv), heads(num_q + num_kv, num_kv)};
}

void norm_queries_and_keys(Backend& backend, const ModelConfig& config, const LayerWeights& layer,
                           const Activations& at) {
  const QkvViews views = split(config, at.qkv);
  TensorView queries = views.queries, keys = views.keys;
  if (config.qk_norm == QkNorm::kWhole) {
    const int64_t num_q = int64_t{1} * config.num_heads * config.head_dim;
    queries = at.qkv.columns(0, num_q);
    keys = at.qkv.columns(num_q, int64_t{1} * config.num_kv_heads * config.head_dim);
  }
  backend.rms_norm(queries, queries, layer.query_norm.view, config.rms_norm_eps);
  backend.rms_norm(keys, keys, layer.key_norm.view, config.rms_norm_eps);
}

/// Adds a block's output (hidden) to the residual, and norms the sum for the next block.
void join_residual(Backend& backend, const ModelConfig& config, const Activations& at,
                   ConstTensorView post_norm, ConstTensorView next_norm) {
  const float eps = config.rms_norm_eps;
  if (!post_norm.empty()) backend.rms_norm(at.hidden, at.hidden, post_norm, eps);
  if (config.residual_scale != 1.0f) backend.scale(at.hidden, config.residual_scale);
  if (next_norm.empty()) {
    backend.add(at.residual, at.hidden);
  } else {
    backend.add_rms_norm(at.hidden, at.residual, at.hidden, next_norm, eps);
  }
}

void feed_forward(Backend& backend, const ModelConfig& config, const LayerWeights& layer,
                  const Activations& at, ConstTensorView input) {
  apply(backend, at.gate_up, input, layer.gate_up);
  backend.glu(at.activated, at.gate_up, config.glu);
  apply(backend, at.hidden, at.activated, layer.down);
}

void mix_experts(Backend& backend, const ModelConfig& config, const ExpertWeights& experts,
                 const Activations& at, ConstTensorView input) {
  apply(backend, at.router_logits, input, experts.router);
  backend.route_experts(at.expert_ids, at.expert_weights, at.router_logits,
                        config.experts.renormalize);
  backend.linear_experts(at.expert_gate_up, input, experts.gate_up.views,
                         experts.gate_up.biases.view, at.expert_ids);
  backend.glu(at.expert_activated, at.expert_gate_up, config.glu);
  backend.linear_experts(at.expert_out, at.expert_activated, experts.down.views,
                         experts.down.biases.view, at.expert_ids);
  backend.mix_experts(at.hidden, at.expert_out, at.expert_weights);
}

}  // namespace

Activations Activations::rows(int64_t count) const {
  Activations first = *this;
  for (TensorView* view :
       {&first.residual, &first.hidden, &first.qkv, &first.attended, &first.gate_up,
        &first.activated, &first.router_logits, &first.expert_ids, &first.expert_weights}) {
    if (!view->empty()) *view = view->rows(0, count);
  }
  if (expert_ids.empty()) return first;
  const int64_t pairs = count * expert_ids.dim(1);
  for (TensorView* view : {&first.expert_gate_up, &first.expert_activated, &first.expert_out}) {
    *view = view->rows(0, pairs);
  }
  return first;
}

void project_and_store(Backend& backend, const AttentionStep& step) {
  const Activations& at = step.at;
  const bool is_normed = !step.layer.attention_norm.view.empty();
  apply(backend, at.qkv, is_normed ? at.hidden : at.residual, step.layer.qkv);
  if (step.config.qk_norm != QkNorm::kNone) {
    norm_queries_and_keys(backend, step.config, step.layer, at);
  }
  const QkvViews views = split(step.config, at.qkv);
  backend.rope_and_store(views.queries, views.keys, views.values, step.cos_sin, step.slots,
                         step.kv);
}

void attend(Backend& backend, const AttentionStep& step) {
  const ModelConfig& config = step.config;
  const float scale = config.attention_scale > 0.0f
                          ? config.attention_scale
                          : 1.0f / std::sqrt(static_cast<float>(config.head_dim));
  const AttentionParams params{.scale = scale,
                               .sliding_window = step.layer_config.sliding_window,
                               .soft_cap = config.attention_soft_cap,
                               .sinks = step.layer.sinks.view};
  backend.attention(step.at.attended.split_columns(config.head_dim),
                    split(config, step.at.qkv).queries, step.kv, step.batch, params);
}

void project_and_feed_forward(Backend& backend, const ModelConfig& config,
                              const LayerWeights& layer, const Activations& at,
                              ConstTensorView next_norm) {
  apply(backend, at.hidden, at.attended, layer.output);
  join_residual(backend, config, at, layer.post_attention_norm.view, layer.mlp_norm.view);
  const ConstTensorView input = layer.mlp_norm.view.empty() ? at.residual : at.hidden;
  if (layer.experts.router.weight) {
    mix_experts(backend, config, layer.experts, at, input);
  } else {
    feed_forward(backend, config, layer, at, input);
  }
  join_residual(backend, config, at, layer.post_mlp_norm.view, next_norm);
}

}  // namespace quire
