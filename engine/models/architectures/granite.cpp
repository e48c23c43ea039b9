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

}  // namespace

/// Granite 3's mixtures of experts.
const Architecture kGraniteMoe = {.name = "granitemoe",
                                  .other_names = kGraniteMoeNames,
                                  .defaults = {},
                                  .read = read_granite_moe,
                                  .reads_gguf = false,
                                  .hugging_face_names = kGraniteMoeTensorNames,
                                  .rotates_pairs_in_gguf = true};

/// Granite 3: Llama with four multipliers.
const Architecture kGranite = {.name = "granite",
                               .other_names = kGraniteNames,
                               .defaults = {},
                               .read = read_granite,
                               .rotates_pairs_in_gguf = true};

}  // namespace quire
