#include "engine/models/model_config.h"

#include <algorithm>
#include <bit>
#include <initializer_list>

#include "engine/io/hash.h"
#include "engine/models/rope.h"

namespace quire {
namespace {

void add(Sha256& hash, float value) {
  hash.update_u64(std::bit_cast<uint32_t>(value));
}

void add_all(Sha256& hash, std::initializer_list<int> values) {
  for (int value : values) hash.update_u64(static_cast<uint64_t>(value));
}

void hash_sizes(const ModelConfig& config, Sha256& hash) {
  add_all(hash, {config.hidden_size, config.intermediate_size, config.num_layers, config.num_heads,
                 config.num_kv_heads, config.head_dim, config.vocab_size,
                 int{config.tie_word_embeddings}, static_cast<int>(config.norm_placement),
                 static_cast<int>(config.qk_norm), int{config.qkv_bias}, int{config.output_bias},
                 int{config.mlp_bias}, int{config.has_sinks}, static_cast<int>(config.glu.kind)});
}

void hash_experts(const ExpertsConfig& experts, Sha256& hash) {
  const RouteParams& route = experts.route;
  add_all(hash,
          {experts.num_experts, experts.experts_per_token, experts.intermediate_size,
           int{route.renormalize}, static_cast<int>(route.scoring), route.num_groups,
           route.top_groups, static_cast<int>(route.group_rank), int{experts.has_choice_bias},
           experts.shared_intermediate_size, int{experts.gates_shared}, int{experts.has_bias}});
}

void hash_kinds(const ModelConfig& config, Sha256& hash) {
  add_all(hash, {static_cast<int>(config.norm), int{config.has_output_gate},
                 config.num_learned_positions, int{config.has_gated_mlp},
                 static_cast<int>(config.activation.kind), int{config.head_bias},
                 int{config.norms_embeddings}, static_cast<int>(config.ropes.size())});
}

void hash_factors(const ModelConfig& config, Sha256& hash) {
  for (float value :
       {config.norm_eps, config.post_norm_eps, config.experts.route.scale, config.attention_scale,
        config.attention_soft_cap, config.logits_soft_cap, config.embedding_scale,
        config.residual_scale, config.logits_scale, config.glu.limit, config.glu.alpha}) {
    add(hash, value);
  }
}

/// Nothing for a model without latent attention.
void hash_latents(const MlaConfig& mla, Sha256& hash) {
  if (mla.kv_rank == 0) return;
  add_all(hash, {mla.q_rank, mla.kv_rank, mla.nope_dim, mla.rope_dim, mla.value_dim,
                 int{mla.rotates_pairs}});
  add(hash, mla.norm_eps);
}

void hash_ropes(const ModelConfig& config, Sha256& hash) {
  for (const RopeConfig& rope : config.ropes) {
    const std::vector<float> frequencies = rope_inv_freq(rope, config.head_dim);
    hash.update_u64(frequencies.size());
    for (float frequency : frequencies) add(hash, frequency);
    add(hash, rope_attention_factor(rope));
  }
  for (const LayerConfig& layer : config.layers) {
    add_all(hash, {layer.sliding_window, layer.rope, int{layer.has_experts}});
  }
}

/// Nothing for a model without recurrent layers.
void hash_recurrence(const ModelConfig& config, Sha256& hash) {
  const RecurrentConfig& sizes = config.recurrent;
  if (sizes.conv_taps == 0) return;
  for (const LayerConfig& layer : config.layers) {
    hash.update_u64(static_cast<uint64_t>(layer.mixer));
  }
  add_all(hash, {sizes.conv_taps, int{sizes.has_conv_bias}, int{sizes.has_bias}, sizes.num_heads,
                 sizes.num_groups, sizes.key_dim, sizes.value_dim, sizes.num_norm_groups,
                 int{sizes.tiled_heads}, int{config.gates_in_queries}});
  add(hash, sizes.dt_min);
  add(hash, sizes.dt_max);
}

/// Nothing for a model whose layers all have a feed-forward block that works at full width.
void hash_blocks(const ModelConfig& config, Sha256& hash) {
  for (size_t i = 0; i < config.layers.size(); ++i) {
    if (!config.layers[i].has_feed_forward) hash.update_u64(i);
  }
  if (config.experts.latent_size == 0) return;
  hash.update_u64(static_cast<uint64_t>(config.experts.latent_size));
}

/// Nothing for a model without such factors.
void hash_scales(const ModelConfig& config, Sha256& hash) {
  const RecurrentConfig& recurrent = config.recurrent;
  if (recurrent.gating != ScanGating::kGateThenNorm) {
    hash.update_u64(static_cast<uint64_t>(recurrent.gating));
  }
  const auto& [attention, mamba2, mlp_gate, mlp] = config.block_scales;
  const auto& [gates, x, b, c, time_steps] = recurrent.scales;
  if (config.block_scales == BlockScales{} && recurrent.scales == ScanScales{}) return;
  for (float value : {attention, mamba2, mlp_gate, mlp, gates, x, b, c, time_steps}) {
    add(hash, value);
  }
}

/// Nothing for a model without gates of whole heads, chunks, scaled queries and norms of what is
/// rotated.
void hash_attention_variants(const ModelConfig& config, Sha256& hash) {
  if (config.gates_whole_heads) hash.update_field("gates of whole heads");
  const auto is_plain = [](const LayerConfig& layer) {
    return layer.chunk_size == 0 && !layer.scales_queries;
  };
  if (std::ranges::all_of(config.layers, is_plain) && !config.norms_after_rotation) return;
  hash.update_u64(static_cast<uint64_t>(config.norms_after_rotation));
  for (const LayerConfig& layer : config.layers) {
    hash.update_u64(static_cast<uint64_t>(layer.chunk_size));
    hash.update_u64(static_cast<uint64_t>(layer.scales_queries));
  }
  add(hash, config.query_scale.beta);
  hash.update_u64(static_cast<uint64_t>(config.query_scale.interval));
  hash.update_u64(static_cast<uint64_t>(config.query_scale.offset));
}

/// Nothing for a model whose tensors hold its parameters.
void hash_feed_forward_variants(const ModelConfig& config, Sha256& hash) {
  if (config.experts.scales_inputs) hash.update_field("experts' inputs are scaled");
  for (const Activation& f : config.stored_activations) {
    for (float value : {f.positive, f.negative, f.beta, f.eps}) add(hash, value);
  }
}

/// Nothing for a model whose layers have the same shapes and caches of their own.
void hash_layer_shapes(const ModelConfig& config, Sha256& hash) {
  const PerLayerConfig& rows = config.per_layer;
  const bool is_plain = std::ranges::all_of(config.layers, [](const LayerConfig& layer) {
    return layer.head_dim == 0 && layer.num_kv_heads == 0 && layer.intermediate_size == 0 &&
           layer.cache_layer < 0 && !layer.values_are_keys;
  });
  if (is_plain && rows.width == 0 && !config.norms_values) return;
  for (int i = 0; i < config.num_layers; ++i) {
    const LayerConfig& layer = config.layers[static_cast<size_t>(i)];
    add_all(hash, {head_dim_of(config, i), num_kv_heads_of(config, i),
                   intermediate_size_of(config, i), layer.cache_layer, int{layer.values_are_keys}});
    hash.update_u64(static_cast<uint64_t>(layer.gate_threshold.has_value()));
    add(hash, layer.gate_threshold.value_or(0.0f));
  }
  const AltUpConfig& streams = config.alt_up;
  add_all(hash, {streams.num_streams, streams.active, int{streams.scales_corrected},
                 streams.laurel_rank});
  add_all(hash, {rows.width, rows.table_rows, int{config.norms_values}, int{config.has_layer_scale},
                 int{config.mlp_beside_experts}, int{config.experts.has_expert_scales}});
}

const LayerConfig& layer_at(const ModelConfig& config, int layer) {
  return config.layers.at(static_cast<size_t>(layer));
}

}  // namespace

int head_dim_of(const ModelConfig& config, int layer) {
  const int own = layer_at(config, layer).head_dim;
  return own > 0 ? own : config.head_dim;
}

int num_kv_heads_of(const ModelConfig& config, int layer) {
  const int own = layer_at(config, layer).num_kv_heads;
  return own > 0 ? own : config.num_kv_heads;
}

int intermediate_size_of(const ModelConfig& config, int layer) {
  const int own = layer_at(config, layer).intermediate_size;
  return own > 0 ? own : config.intermediate_size;
}

int num_caching_layers(const ModelConfig& config) {
  int count = config.num_layers;
  while (count > 0 && layer_at(config, count - 1).cache_layer >= 0) --count;
  return count;
}

void hash_config(const ModelConfig& config, Sha256& hash) {
  hash.update_field(config.architecture);
  hash_sizes(config, hash);
  hash_experts(config.experts, hash);
  hash_kinds(config, hash);
  hash_factors(config, hash);
  hash_ropes(config, hash);
  hash_recurrence(config, hash);
  hash_blocks(config, hash);
  hash_scales(config, hash);
  hash_attention_variants(config, hash);
  hash_feed_forward_variants(config, hash);
  hash_layer_shapes(config, hash);
  hash_latents(config.mla, hash);
}

}  // namespace quire
