#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "engine/io/json_fields.h"
#include "engine/models/model_config.h"

namespace quire {

/// Fields that several architectures share. Faults stay in the fields.

/// qkv_bias and output_bias, from `attention_bias`.
void read_attention_bias(JsonFields& fields, bool fallback, ModelConfig& config);

/// mlp_bias.
void read_mlp_bias(JsonFields& fields, ModelConfig& config);

/// Every layer sees `sliding_window` tokens; absent takes the fallback (0: all), null means all.
void read_window(JsonFields& fields, int fallback, ModelConfig& config);

/// The window for the layers that `layer_types` calls sliding_attention, or else for those that
/// `is_sliding` picks; those that rotate take rope 1. The window as for read_window.
void read_layer_types(JsonFields& fields, int fallback_window, bool (*is_sliding)(int layer, int n),
                      int n, ModelConfig& config);

/// The layers that `layer_types` calls by a name other than full_attention or attention have that
/// mixer: `names`, in files of any age. Without a list it is those of `is_recurrent`.
void read_mixers(JsonFields& fields, MixerKind mixer, std::span<const std::string_view> names,
                 const std::function<bool(int layer)>& is_recurrent, ModelConfig& config);

/// The sizes of gated short convolutions: `conv_L_cache` inputs each, and whether there are biases.
void read_short_convolutions(JsonFields& fields, int default_taps, ModelConfig& config);

/// Mamba 2's convolutions have no other activation.
void refuse_other_than_silu(JsonFields& fields, const char* key);

/// Mamba 2's sizes: `mamba_n_heads`, `mamba_n_groups`, `mamba_d_state`, `mamba_d_conv`, whether
/// there are biases, and `time_step_limit`. The values of all heads take `inner_size` numbers.
struct ScanSizes {
  int64_t inner_size = 0;
  int default_groups = 1;
  int default_state = 256;
};
void read_scan(JsonFields& fields, const ScanSizes& sizes, ModelConfig& config);

/// Qwen's: the window only with `use_sliding_window`, from layer `max_window_layers` on.
void read_optional_window(JsonFields& fields, ModelConfig& config);

/// Sets config.glu from the activation's name: silu, also called swish, or gelu_pytorch_tanh.
/// kUnsupported for others.
void read_activation(JsonFields& fields, const char* key, const char* fallback,
                     ModelConfig& config);

/// An MLP without a gate, of the activation's name: relu, relu2, silu, gelu, gelu_new or
/// gelu_pytorch_tanh. kUnsupported for others.
void read_plain_activation(JsonFields& fields, const char* key, const char* fallback,
                           ModelConfig& config);

/// No layer rotates; a table of max_positions rows is added to the embeddings instead.
void use_learned_positions(int first_row, ModelConfig& config);

/// Sets those routing parameters that DeepSeek V3 (arXiv:2412.19437) and its followers have: scores
/// by sigmoid, a bias for the choice, n_group and topk_group, norm_topk_prob,
/// routed_scaling_factor.
void read_sigmoid_routing(JsonFields& fields, ModelConfig& config);

/// The first `first_k_dense_replace` layers have a plain MLP.
void read_leading_dense_layers(JsonFields& fields, int fallback, ModelConfig& config);

/// The layers that `mlp_layer_types` calls dense have a plain MLP, or else the first ones.
void read_layer_kinds(JsonFields& fields, int fallback, ModelConfig& config);

/// `no_rope_layers` holds 1 for layers that do rotate; without it, every nth does not.
void read_no_rope_layers(JsonFields& fields, ModelConfig& config);

/// Queries are scaled by 1 + beta ln(1 + floor(position / original context)), where rope_parameters
/// have a llama_4_scaling_beta.
void read_query_scale(JsonFields& fields, int original_context, ModelConfig& config);

/// The last `num_kv_shared_layers` layers read the cache of the last layer before them of their
/// kind, with or without a window, which is known by their rope.
void read_shared_caches(JsonFields& fields, int fallback, ModelConfig& config);

/// config.per_layer, from `hidden_size_per_layer_input` and `vocab_size_per_layer_input`.
void read_per_layer_embeddings(JsonFields& fields, ModelConfig& config);

/// Layers in `mlp_only_layers`, and those that `decoder_sparse_step` skips, have a plain MLP.
void read_dense_layers(JsonFields& fields, ModelConfig& config);

/// A mixture of experts in every layer; the names of the fields differ.
struct ExpertFields {
  const char* num_experts = "num_local_experts";
  const char* experts_per_token = "num_experts_per_tok";
  const char* intermediate_size = "intermediate_size";
  int default_experts_per_token = 2;
};
void read_expert_sizes(JsonFields& fields, const ExpertFields& names, ModelConfig& config);

/// The same, and experts in every layer.
void read_experts(JsonFields& fields, const ExpertFields& names, ModelConfig& config);
/// The width of the MLP that all tokens share, made of as many experts as the field says.
void read_shared_experts(JsonFields& fields, const char* name, int64_t fallback,
                         ModelConfig& config);

inline constexpr double kLeastMultiplier = 1e-9, kMostMultiplier = 1e9;
/// A factor within these limits; 1 without the field.
float read_multiplier(JsonFields& fields, const char* name);

}  // namespace quire
