#include "engine/models/architectures/architecture.h"
#include "engine/models/architectures/config_fields.h"

namespace quire {
namespace {

constexpr std::string_view kGraniteMoeNames[] = {"GraniteMoeForCausalLM"};
constexpr TensorName kGraniteMoeTensorNames[] = {
    {"ffn_gate_inp", "block_sparse_moe.router.layer"},
    {"ffn_gate_up_exps.weight", "block_sparse_moe.input_linear.weight"},
    {"ffn_down_exps.weight", "block_sparse_moe.output_linear.weight"}};
constexpr std::string_view kGraniteNames[] = {"GraniteForCausalLM"};

constexpr std::string_view kGraniteHybridNames[] = {"GraniteMoeHybridForCausalLM",
                                                    "granitemoehybrid"};
constexpr FieldAlias kGraniteHybridFields[] = {{"layer_types", "layers_block_type"}};
constexpr TensorName kGraniteHybridTensorNames[] = {
    {"ffn_gate_inp", "block_sparse_moe.router.layer"},
    {"ffn_gate_up_exps.weight", "block_sparse_moe.input_linear.weight"},
    {"ffn_down_exps.weight", "block_sparse_moe.output_linear.weight"},
    {"ffn_up", "shared_mlp.input_linear"},
    {"ffn_down", "shared_mlp.output_linear"},
    {"ffn_up_shexp", "shared_mlp.input_linear"},
    {"ffn_down_shexp", "shared_mlp.output_linear"},
    {"ssm_in", "mamba.in_proj"},
    {"ssm_conv1d", "mamba.conv1d"},
    {"ssm_a", "mamba.A_log"},
    {"ssm_d", "mamba.D"},
    {"ssm_dt.bias", "mamba.dt_bias"},
    {"ssm_norm", "mamba.norm"},
    {"ssm_out", "mamba.out_proj"}};
constexpr std::string_view kMamba[] = {"linear_attention", "mamba"};

float multiplier(JsonFields& fields, const char* name) {
  return static_cast<float>(fields.number(name, 1e-9, 1e9, 1.0));
}

void read_granite(JsonFields& fields, ModelConfig& config) {
  read_activation(fields, "hidden_act", "silu", config);
  read_attention_bias(fields, false, config);
  read_mlp_bias(fields, config);
  config.embedding_scale = multiplier(fields, "embedding_multiplier");
  config.attention_scale = multiplier(fields, "attention_multiplier");
  config.residual_scale = multiplier(fields, "residual_multiplier");
  config.logits_scale = 1.0f / multiplier(fields, "logits_scaling");
}

void read_granite_moe(JsonFields& fields, ModelConfig& config) {
  read_granite(fields, config);
  read_experts(fields, {}, config);
}

void read_scan(JsonFields& fields, ModelConfig& config) {
  RecurrentConfig& recurrent = config.recurrent;
  const auto integer = [&](const char* name, int64_t most, int64_t fallback) {
    return static_cast<int>(fields.integer(name, 1, most, fallback));
  };
  recurrent.num_heads = integer("mamba_n_heads", 1 << 14, 128);
  recurrent.num_groups = recurrent.num_norm_groups = integer("mamba_n_groups", 1 << 14, 1);
  recurrent.key_dim = integer("mamba_d_state", 4096, 256);
  const int64_t inner = integer("mamba_expand", 64, 2) * int64_t{config.hidden_size};
  recurrent.value_dim = static_cast<int>(inner / recurrent.num_heads);
  recurrent.conv_taps = integer("mamba_d_conv", kMaxConvInputs, 4);
  recurrent.has_conv_bias = fields.boolean("mamba_conv_bias", true);
  recurrent.has_bias = fields.boolean("mamba_proj_bias", false);
  if (inner % recurrent.num_heads != 0 || recurrent.num_heads % recurrent.num_groups != 0) {
    fields.fail(ErrorCode::kCorruptFile,
                "mamba_n_heads is " + std::to_string(recurrent.num_heads) +
                    ", which must divide mamba_expand times hidden_size and be a multiple of "
                    "mamba_n_groups");
  }
}

void read_granite_hybrid(JsonFields& fields, ModelConfig& config) {
  read_granite(fields, config);
  read_scan(fields, config);
  read_mixers(
      fields, MixerKind::kMamba2, kMamba, [](int /*layer*/) { return true; }, config);
  if (fields.string("position_embedding_type", "nope") != "rope") {
    for (LayerConfig& layer : config.layers) layer.rope = -1;
  }
  const auto shared =
      static_cast<int>(fields.integer("shared_intermediate_size", 1, 1 << 22, 1024));
  if (fields.integer("num_local_experts", 0, 4096, 8) > 0) {
    read_experts(fields, {}, config);
    config.experts.shared_intermediate_size = shared;
  } else {
    config.intermediate_size = shared;
  }
}

}  // namespace

/// Granite 4: Mamba 2 in most layers, attention without rotation in the others.
const Architecture kGraniteHybrid = {.name = "granitehybrid",
                                     .other_names = kGraniteHybridNames,
                                     .defaults = {.norm_eps = 1e-6},
                                     .field_names = kGraniteHybridFields,
                                     .read = read_granite_hybrid,
                                     .hugging_face_names = kGraniteHybridTensorNames,
                                     .rotates_pairs_in_gguf = true};

/// Granite 3's mixtures of experts.
const Architecture kGraniteMoe = {.name = "granitemoe",
                                  .other_names = kGraniteMoeNames,
                                  .defaults = {},
                                  .read = read_granite_moe,
                                  .hugging_face_names = kGraniteMoeTensorNames,
                                  .rotates_pairs_in_gguf = true};

/// Granite 3: Llama with four multipliers.
const Architecture kGranite = {.name = "granite",
                               .other_names = kGraniteNames,
                               .defaults = {},
                               .read = read_granite,
                               .rotates_pairs_in_gguf = true};

}  // namespace quire
