#include "engine/models/architectures/architecture.h"
#include "engine/models/architectures/config_fields.h"

namespace quire {
namespace {

constexpr std::string_view kPhiNames[] = {"PhiForCausalLM", "phi"};
constexpr std::string_view kStableLmNames[] = {"StableLmForCausalLM"};
constexpr std::string_view kStarcoder2Names[] = {"Starcoder2ForCausalLM"};
constexpr FieldAlias kLayerNormFields[] = {{"rms_norm_eps", "layer_norm_eps"}};
constexpr FieldAlias kStarcoder2Fields[] = {{"rms_norm_eps", "norm_epsilon"}};
constexpr TensorName kPhiTensorNames[] = {{"output_norm", "model.final_layernorm"},
                                          {"attn_output", "self_attn.dense"},
                                          {"attn_q_norm", "self_attn.q_layernorm"},
                                          {"attn_k_norm", "self_attn.k_layernorm"},
                                          {"ffn_up", "mlp.fc1"},
                                          {"ffn_down", "mlp.fc2"}};
constexpr TensorName kStarcoder2TensorNames[] = {{"ffn_up", "mlp.c_fc"},
                                                 {"ffn_down", "mlp.c_proj"}};

/// These would need norms of queries and keys with a bias, or with weights of their own for each
/// head.
void refuse_head_norms(JsonFields& fields) {
  if (!fields.boolean("qk_layernorm", false)) return;
  fields.fail(ErrorCode::kUnsupported,
              "qk_layernorm is set; Quire runs models of this kind without it");
}

void read_phi(JsonFields& fields, ModelConfig& config) {
  read_plain_activation(fields, "hidden_act", "gelu_new", config);
  config.norm = NormKind::kLayerWithBias;
  config.norm_placement = NormPlacement::kParallel;
  config.qkv_bias = config.output_bias = config.mlp_bias = config.head_bias = true;
  refuse_head_norms(fields);
}

void read_stablelm(JsonFields& fields, ModelConfig& config) {
  read_activation(fields, "hidden_act", "silu", config);
  config.norm = NormKind::kLayerWithBias;
  config.qkv_bias = fields.boolean("use_qkv_bias", false);
  if (fields.boolean("use_parallel_residual", false)) {
    config.norm_placement = NormPlacement::kParallel;
  }
  refuse_head_norms(fields);
}

void read_starcoder2(JsonFields& fields, ModelConfig& config) {
  read_plain_activation(fields, "hidden_act", "gelu_pytorch_tanh", config);
  config.norm = NormKind::kLayerWithBias;
  config.qkv_bias = config.output_bias = config.mlp_bias = fields.boolean("use_bias", true);
  read_window(fields, 0, config);
}

}  // namespace

/// Phi 1, 1.5 and 2 (arXiv:2309.05463): both blocks beside each other, a part of each head rotated.
const Architecture kPhi = {
    .name = "phi2",
    .other_names = kPhiNames,
    .defaults = {.max_positions = 2048, .norm_eps = 1e-5, .rope = {.partial = 0.5}},
    .field_names = kLayerNormFields,
    .read = read_phi,
    .hugging_face_names = kPhiTensorNames};

/// StableLM 2 (arXiv:2402.17834): Llama with LayerNorm and a quarter of each head rotated.
const Architecture kStableLm = {.name = "stablelm",
                                .other_names = kStableLmNames,
                                .defaults = {.num_kv_heads = 32,
                                             .max_positions = 4096,
                                             .norm_eps = 1e-5,
                                             .rope = {.partial = 0.25}},
                                .field_names = kLayerNormFields,
                                .read = read_stablelm};

/// StarCoder 2 (arXiv:2402.19173): LayerNorm, biases, an MLP without a gate.
const Architecture kStarcoder2 = {.name = "starcoder2",
                                  .other_names = kStarcoder2Names,
                                  .defaults = {.num_kv_heads = 2,
                                               .max_positions = 4096,
                                               .norm_eps = 1e-5,
                                               .tie_word_embeddings = true},
                                  .field_names = kStarcoder2Fields,
                                  .read = read_starcoder2,
                                  .hugging_face_names = kStarcoder2TensorNames};

}  // namespace quire
