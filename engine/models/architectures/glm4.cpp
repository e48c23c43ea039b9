#include "engine/models/architectures/architecture.h"
#include "engine/models/architectures/config_fields.h"

namespace quire {
namespace {

constexpr std::string_view kGlm4Names[] = {"Glm4ForCausalLM"};
constexpr std::string_view kGlm4MoeNames[] = {"Glm4MoeForCausalLM", "glm4_moe"};
constexpr TensorName kGlm4TensorNames[] = {{"post_attention_norm", "post_self_attn_layernorm"},
                                           {"ffn_norm", "post_attention_layernorm"},
                                           {"post_ffw_norm", "post_mlp_layernorm"},
                                           {"ffn_up", "mlp.gate_up_proj"}};

/// The norm before the MLP, by the name of the one after attention in other architectures.
constexpr TensorName kGlm4MoeGgufNames[] = {{"ffn_norm", "post_attention_norm"}};

void read_glm4(JsonFields& fields, ModelConfig& config) {
  read_activation(fields, "hidden_act", "silu", config);
  config.qkv_bias = fields.boolean("attention_bias", false);
  config.norm_placement = NormPlacement::kSandwich;
}

void read_glm4_moe(JsonFields& fields, ModelConfig& config) {
  read_activation(fields, "hidden_act", "silu", config);
  config.qkv_bias = fields.boolean("attention_bias", false);
  if (fields.boolean("use_qk_norm", false)) config.qk_norm = QkNorm::kPerHead;
  read_experts(fields,
               {.num_experts = "n_routed_experts",
                .intermediate_size = "moe_intermediate_size",
                .default_experts_per_token = 8},
               config);
  read_sigmoid_routing(fields, config);
  read_leading_dense_layers(fields, 1, config);
  read_shared_experts(fields, "n_shared_experts", 1, config);
}

}  // namespace

/// GLM 4 (0414): norms before and after each block, half of each head rotated in pairs.
const Architecture kGlm4 = {.name = "glm4",
                            .other_names = kGlm4Names,
                            .defaults = {.num_kv_heads = 2,
                                         .head_dim = 128,
                                         .max_positions = 131072,
                                         .norm_eps = 1.5625e-7,
                                         .rope = {.partial = 0.5}},
                            .read = read_glm4,
                            .hugging_face_names = kGlm4TensorNames,
                            .rotates_pairs_in_gguf = true,
                            .rotates_pairs_in_hugging_face = true};

/// GLM 4.5 to 4.7 (arXiv:2508.06471): experts chosen by sigmoids, one that all tokens share.
const Architecture kGlm4Moe = {.name = "glm4moe",
                               .other_names = kGlm4MoeNames,
                               .defaults = {.num_kv_heads = 8,
                                            .max_positions = 131072,
                                            .norm_eps = 1e-5,
                                            .rope = {.partial = 0.5}},
                               .read = read_glm4_moe,
                               .gguf_names = kGlm4MoeGgufNames};

}  // namespace quire
