#include "engine/models/architectures/architecture.h"
#include "engine/models/architectures/config_fields.h"

namespace quire {
namespace {

constexpr std::string_view kGpt2Names[] = {"GPT2LMHeadModel"};
constexpr std::string_view kGptNeoxNames[] = {"GPTNeoXForCausalLM", "gpt_neox"};
constexpr std::string_view kOptNames[] = {"OPTForCausalLM"};

constexpr FieldAlias kGpt2Fields[] = {
    {"hidden_size", "n_embd"},         {"num_hidden_layers", "n_layer"},
    {"num_attention_heads", "n_head"}, {"max_position_embeddings", "n_positions"},
    {"intermediate_size", "n_inner"},  {"rms_norm_eps", "layer_norm_epsilon"}};
constexpr FieldAlias kGptNeoxFields[] = {{"rms_norm_eps", "layer_norm_eps"}};
constexpr FieldAlias kOptFields[] = {{"intermediate_size", "ffn_dim"}};

constexpr TensorName kGpt2TensorNames[] = {{"token_embd", "transformer.wte"},
                                           {"position_embd", "transformer.wpe"},
                                           {"output_norm", "transformer.ln_f"},
                                           {"attn_norm", "ln_1"},
                                           {"attn_qkv", "attn.c_attn"},
                                           {"attn_output", "attn.c_proj"},
                                           {"ffn_norm", "ln_2"},
                                           {"ffn_up", "mlp.c_fc"},
                                           {"ffn_down", "mlp.c_proj"}};
constexpr TensorName kGptNeoxTensorNames[] = {{"token_embd", "gpt_neox.embed_in"},
                                              {"output_norm", "gpt_neox.final_layer_norm"},
                                              {"output", "embed_out"},
                                              {"attn_qkv", "attention.query_key_value"},
                                              {"attn_output", "attention.dense"},
                                              {"ffn_up", "mlp.dense_h_to_4h"},
                                              {"ffn_down", "mlp.dense_4h_to_h"}};
constexpr TensorName kOptTensorNames[] = {{"token_embd", "model.decoder.embed_tokens"},
                                          {"position_embd", "model.decoder.embed_positions"},
                                          {"output_norm", "model.decoder.final_layer_norm"},
                                          {"attn_norm", "self_attn_layer_norm"},
                                          {"attn_output", "self_attn.out_proj"},
                                          {"ffn_norm", "final_layer_norm"},
                                          {"ffn_up", "fc1"},
                                          {"ffn_down", "fc2"}};

/// As many keys and values as queries, LayerNorm, and biases.
void use_biases(ModelConfig& config) {
  config.num_kv_heads = config.num_heads;
  config.norm = NormKind::kLayerWithBias;
  config.qkv_bias = config.output_bias = config.mlp_bias = true;
}

void read_gpt2(JsonFields& fields, ModelConfig& config) {
  read_plain_activation(fields, "activation_function", "gelu_new", config);
  use_biases(config);
  use_learned_positions(0, config);
  if (fields.boolean("scale_attn_by_inverse_layer_idx", false) ||
      !fields.boolean("scale_attn_weights", true)) {
    fields.fail(ErrorCode::kUnsupported,
                "the attention is scaled in a way of its own; Quire runs GPT-2 without it");
  }
}

void read_gpt_neox(JsonFields& fields, ModelConfig& config) {
  read_plain_activation(fields, "hidden_act", "gelu", config);
  use_biases(config);
  config.qkv_bias = config.output_bias = fields.boolean("attention_bias", true);
  if (fields.boolean("use_parallel_residual", true)) {
    config.norm_placement = NormPlacement::kParallelTwo;
  }
}

void read_opt(JsonFields& fields, ModelConfig& config) {
  read_plain_activation(fields, "activation_function", "relu", config);
  use_biases(config);
  config.qkv_bias = config.output_bias = config.mlp_bias = fields.boolean("enable_bias", true);
  constexpr int kOffset = 2;  // Position p is row p + 2 of the table.
  use_learned_positions(kOffset, config);
  const int64_t width = fields.integer("word_embed_proj_dim", 1, 1 << 20, config.hidden_size);
  const bool is_supported = width == config.hidden_size &&
                            fields.boolean("do_layer_norm_before", true) &&
                            !fields.boolean("_remove_final_layer_norm", false);
  if (!is_supported) {
    fields.fail(ErrorCode::kUnsupported,
                "the norms follow the blocks or embeddings are projected, as in opt-350m; Quire "
                "runs the other sizes of OPT");
  } else if (!fields.boolean("layer_norm_elementwise_affine", true)) {
    fields.fail(ErrorCode::kUnsupported,
                "layer_norm_elementwise_affine is false; Quire runs OPT with weights of its norms");
  }
}

}  // namespace

/// GPT-2: learned positions, LayerNorm, biases everywhere.
const Architecture kGpt2 = {.name = "gpt2",
                            .other_names = kGpt2Names,
                            .defaults = {.max_positions = 1024,
                                         .norm_eps = 1e-5,
                                         .intermediate_factor = 4,
                                         .tie_word_embeddings = true},
                            .field_names = kGpt2Fields,
                            .read = read_gpt2,
                            .hugging_face_names = kGpt2TensorNames,
                            .hugging_face_layers = "transformer.h.",
                            .transposes_linears_in_hugging_face = true};

/// GPT-NeoX (arXiv:2204.06745) and Pythia: both blocks beside each other, a part of each head
/// rotated.
const Architecture kGptNeox = {.name = "gptneox",
                               .other_names = kGptNeoxNames,
                               .defaults = {.max_positions = 2048,
                                            .norm_eps = 1e-5,
                                            .rope = {.partial = 0.25, .old_partial = "rotary_pct"}},
                               .field_names = kGptNeoxFields,
                               .read = read_gpt_neox,
                               .hugging_face_names = kGptNeoxTensorNames,
                               .hugging_face_layers = "gpt_neox.layers.",
                               .interleaves_qkv_in_hugging_face = true};

/// OPT (arXiv:2205.01068): as GPT-2, with ReLU.
const Architecture kOpt = {
    .name = "opt",
    .other_names = kOptNames,
    .defaults = {.max_positions = 2048, .norm_eps = 1e-5, .tie_word_embeddings = true},
    .field_names = kOptFields,
    .read = read_opt,
    .has_gguf_layout = false,
    .hugging_face_names = kOptTensorNames,
    .hugging_face_layers = "model.decoder.layers."};

}  // namespace quire
