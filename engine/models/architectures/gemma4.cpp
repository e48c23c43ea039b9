#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/models/architectures/architecture.h"
#include "engine/models/architectures/config_fields.h"

namespace quire {
namespace {

using nlohmann::json;

constexpr std::string_view kGemma4Names[] = {"Gemma4ForConditionalGeneration", "Gemma4ForCausalLM",
                                             "gemma4_text"};
constexpr TensorName kGemma4TensorNames[] = {
    {"ffn_norm", "pre_feedforward_layernorm"},
    {"layer_output_scale.weight", "layer_scalar"},
    {"pre_ffw_norm_2", "pre_feedforward_layernorm_2"},
    {"post_ffw_norm_1", "post_feedforward_layernorm_1"},
    {"post_ffw_norm_2", "post_feedforward_layernorm_2"},
    {"ffn_gate_inp.scale", "router.scale"},
    {"ffn_gate_inp", "router.proj"},
    {"ffn_down_exps.scale", "router.per_expert_scale"},
    {"ffn_gate_up_exps.weight", "experts.gate_up_proj"},
    {"ffn_down_exps.weight", "experts.down_proj"},
};

bool is_global(const LayerConfig& layer) {
  return layer.rope == 0;
}

/// Of `per_layer_config`, an object with an object for some layers, by their numbers.
void read_listed_shapes(JsonFields& fields, const json& object, ModelConfig& config) {
  if (!object.is_object()) {
    return fields.fail(ErrorCode::kCorruptFile, "per_layer_config is not an object");
  }
  for (const auto& [key, value] : object.items()) {
    size_t index = 0;
    const char* const end = key.data() + key.size();
    const auto parsed = std::from_chars(key.data(), end, index);
    if (parsed.ec != std::errc() || parsed.ptr != end || index >= config.layers.size() ||
        !value.is_object()) {
      return fields.fail(ErrorCode::kCorruptFile,
                         "per_layer_config holds something else than objects for the " +
                             std::to_string(config.layers.size()) + " layers");
    }
    LayerConfig& layer = config.layers[index];
    JsonFields own(value, fields.where() + ": per_layer_config: " + std::to_string(index));
    layer.head_dim = static_cast<int>(own.integer("head_dim", 2, 4096, config.head_dim));
    layer.num_kv_heads =
        static_cast<int>(own.integer("num_key_value_heads", 1, 1 << 14, config.num_kv_heads));
    if (own.error()) return fields.fail(*own.error());
  }
}

/// Heads of layers without a window have other sizes; those of the config become theirs.
void read_head_shapes(JsonFields& fields, ModelConfig& config) {
  if (const json* listed = fields.find("per_layer_config"); listed != nullptr) {
    read_listed_shapes(fields, *listed, config);
    return;
  }
  const auto dim = static_cast<int>(fields.integer("global_head_dim", 2, 4096, 512));
  const auto kv_heads = static_cast<int>(
      fields.integer("num_global_key_value_heads", 1, 1 << 14, config.num_kv_heads));
  const bool has_own_heads = fields.boolean("attention_k_eq_v", false);
  for (LayerConfig& layer : config.layers) {
    if (!is_global(layer)) continue;
    layer.head_dim = dim;
    if (has_own_heads) layer.num_kv_heads = kv_heads;
  }
}

/// Layers of one kind rotate alike, and may read each other's caches: their heads are the same.
void check_head_shapes(JsonFields& fields, const ModelConfig& config) {
  for (int i = 0; i < config.num_layers; ++i) {
    const LayerConfig& layer = config.layers[static_cast<size_t>(i)];
    const int dim = head_dim_of(config, i), kv_heads = num_kv_heads_of(config, i);
    int first = 0;
    while (config.layers[static_cast<size_t>(first)].rope != layer.rope) ++first;
    std::string fault;
    if (dim % 2 != 0) {
      fault = "heads of dimension " + std::to_string(dim) + ", which is not even";
    } else if (config.num_heads % kv_heads != 0) {
      fault = std::to_string(kv_heads) + " KV heads, which do not divide its " +
              std::to_string(config.num_heads) + " heads";
    } else if (dim != head_dim_of(config, first) || kv_heads != num_kv_heads_of(config, first)) {
      fault = "other heads than layer " + std::to_string(first) + " of its kind";
    } else {
      continue;
    }
    return fields.fail(ErrorCode::kCorruptFile, "layer " + std::to_string(i) + " has " + fault);
  }
}

/// A mixture of experts beside the MLP of every layer.
void read_gemma4_experts(JsonFields& fields, ModelConfig& config) {
  if (!fields.boolean("enable_moe_block", false)) return;
  read_experts(fields,
               {.num_experts = "num_experts",
                .experts_per_token = "top_k_experts",
                .intermediate_size = "moe_intermediate_size"},
               config);
  config.experts.has_expert_scales = true;
  config.mlp_beside_experts = true;
}

void read_gemma4_layers(JsonFields& fields, ModelConfig& config) {
  const auto all_but_nth = [](int layer, int n) { return (layer + 1) % n != 0; };
  read_layer_types(fields, 512, all_but_nth, 6, config);
  config.layers.back().sliding_window = 0;  // As transformers, whatever the list says.
  config.layers.back().rope = 0;
  read_head_shapes(fields, config);
  if (!fields.error()) check_head_shapes(fields, config);
  read_shared_caches(fields, 0, config);
  const bool values_are_keys = fields.boolean("attention_k_eq_v", false);
  const bool doubles_mlp = fields.boolean("use_double_wide_mlp", false);
  for (LayerConfig& layer : config.layers) {
    layer.values_are_keys = values_are_keys && is_global(layer);
    if (doubles_mlp && layer.cache_layer >= 0) {
      layer.intermediate_size = 2 * config.intermediate_size;
    }
  }
}

void read_gemma4(JsonFields& fields, ModelConfig& config) {
  read_activation(fields, "hidden_activation", "gelu_pytorch_tanh", config);
  read_attention_bias(fields, false, config);
  config.norm_placement = NormPlacement::kSandwich;
  config.qk_norm = QkNorm::kPerHead;
  config.norms_values = true;
  config.attention_scale = 1.0f;
  config.embedding_scale = static_cast<float>(std::sqrt(static_cast<double>(config.hidden_size)));
  config.logits_soft_cap =
      static_cast<float>(fields.number("final_logit_softcapping", 0.0, 1e6, 0.0));
  // GGUF's files may lack it.
  config.has_layer_scale = fields.boolean("has_layer_scale", true);
  read_gemma4_layers(fields, config);
  read_gemma4_experts(fields, config);
  read_per_layer_embeddings(fields, config);
  if (!fields.has("rope_parameters")) {
    fields.fail(ErrorCode::kCorruptFile, "rope_parameters is missing");
  }
  // "vision" is about the tokens of images.
  if (fields.string("use_bidirectional_attention", "") == "all") {
    fields.fail(ErrorCode::kUnsupported,
                "use_bidirectional_attention is set; Quire runs models that write text");
  }
}

/// The sizes that stand for the whole model are those of global layers, whose heads are larger.
void finish_gemma4(ModelConfig& config) {
  const int last = config.num_layers - 1;
  for (int i = 0; i < config.num_layers; ++i) {
    LayerConfig& layer = config.layers[static_cast<size_t>(i)];
    layer.head_dim = head_dim_of(config, i);
    layer.num_kv_heads = num_kv_heads_of(config, i);
  }
  config.head_dim = head_dim_of(config, last);
  config.num_kv_heads = num_kv_heads_of(config, last);
}

}  // namespace

/// Gemma 4 (its text side): local layers and larger global ones, normed values, which may be the
/// keys, caches that the last layers share, per-layer embeddings, and experts beside an MLP.
const Architecture kGemma4 = {.name = "gemma4",
                              .other_names = kGemma4Names,
                              .defaults = {.num_heads = 8,
                                           .num_kv_heads = 4,
                                           .head_dim = 256,
                                           .vocab_size = 262144,
                                           .max_positions = 131072,
                                           .tie_word_embeddings = true,
                                           .rope = {.theta = 1e6, .local_theta = 1e4}},
                              .read = read_gemma4,
                              .finish = finish_gemma4,
                              .hugging_face_names = kGemma4TensorNames};

}  // namespace quire
