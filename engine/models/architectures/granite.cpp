#include "engine/models/architectures/architecture.h"
#include "engine/models/architectures/recurrent_fields.h"

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

void read_granite(JsonFields& fields, ModelConfig& config) {
  read_activation(fields, "hidden_act", "silu", config);
  read_attention_bias(fields, false, config);
  read_mlp_bias(fields, config);
  config.embedding_scale = read_multiplier(fields, "embedding_multiplier");
  config.attention_scale = read_multiplier(fields, "attention_multiplier");
  config.residual_scale = read_multiplier(fields, "residual_multiplier");
  config.logits_scale = 1.0f / read_multiplier(fields, "logits_scaling");
}

void read_granite_moe(JsonFields& fields, ModelConfig& config) {
  read_granite(fields, config);
  read_experts(fields, {}, config);
}

void read_granite_hybrid(JsonFields& fields, ModelConfig& config) {
  read_granite(fields, config);
  refuse_other_than_silu(fields, "hidden_act");
  const int64_t inner = fields.integer("mamba_expand", 1, 64, 2) * config.hidden_size;
  read_scan(fields, {.inner_size = inner}, config);
  read_time_step_limit(fields, config);
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
