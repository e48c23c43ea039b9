#include "engine/models/architectures/architecture.h"
#include "engine/models/architectures/recurrent_fields.h"

namespace quire {
namespace {

constexpr std::string_view kQwen35Names[] = {
    "Qwen3_5ForCausalLM", "Qwen3_5ForConditionalGeneration", "qwen3_5", "qwen3_5_text"};
constexpr std::string_view kQwen35MoeNames[] = {"Qwen3_5MoeForCausalLM",
                                                "Qwen3_5MoeForConditionalGeneration", "qwen3_5_moe",
                                                "qwen3_5_moe_text"};
constexpr std::string_view kQwen3NextNames[] = {"Qwen3NextForCausalLM", "qwen3_next"};
constexpr TensorName kQwen35TensorNames[] = {{"attn_qkv", "linear_attn.in_proj_qkv"},
                                             {"attn_gate", "linear_attn.in_proj_z"},
                                             {"ssm_beta", "linear_attn.in_proj_b"},
                                             {"ssm_alpha", "linear_attn.in_proj_a"},
                                             {"ssm_in", "linear_attn.in_proj_qkvz"},
                                             {"ssm_ba", "linear_attn.in_proj_ba"},
                                             {"ssm_conv1d", "linear_attn.conv1d"},
                                             {"ssm_a", "linear_attn.A_log"},
                                             {"ssm_dt.bias", "linear_attn.dt_bias"},
                                             {"ssm_norm", "linear_attn.norm"},
                                             {"ssm_out", "linear_attn.out_proj"},
                                             {"ffn_gate_shexp", "mlp.shared_expert.gate_proj"},
                                             {"ffn_up_shexp", "mlp.shared_expert.up_proj"},
                                             {"ffn_down_shexp", "mlp.shared_expert.down_proj"},
                                             {"ffn_gate_inp_shexp", "mlp.shared_expert_gate"}};
constexpr TensorName kQwen35GgufNames[] = {{"ffn_norm", "post_attention_norm"}};
constexpr std::string_view kLinear[] = {"linear_attention"};
constexpr ConfigDefaults kQwen35Defaults = {
    .num_kv_heads = 4, .head_dim = 256, .max_positions = 32768, .rope = {.partial = 0.25}};

void read_qwen3_5(JsonFields& fields, ModelConfig& config) {
  read_activation(fields, "hidden_act", "silu", config);
  read_attention_bias(fields, false, config);
  config.qk_norm = QkNorm::kPerHead;
  config.has_output_gate = config.gates_in_queries = true;
  RecurrentConfig& recurrent = config.recurrent;
  const auto integer = [&](const char* name, int64_t most, int64_t fallback) {
    return static_cast<int>(fields.integer(name, 1, most, fallback));
  };
  recurrent.conv_taps = read_conv_inputs(fields, "linear_conv_kernel_dim", 4);
  recurrent.key_dim = integer("linear_key_head_dim", 4096, 128);
  recurrent.value_dim = integer("linear_value_head_dim", 4096, 128);
  recurrent.num_groups = integer("linear_num_key_heads", 1 << 14, 16);
  recurrent.num_heads = integer("linear_num_value_heads", 1 << 14, 32);
  if (!fields.error() && recurrent.num_heads % recurrent.num_groups != 0) {
    fields.fail(ErrorCode::kCorruptFile, "linear_num_key_heads is " +
                                             std::to_string(recurrent.num_groups) +
                                             ", which does not divide linear_num_value_heads, " +
                                             std::to_string(recurrent.num_heads));
  }
  const int interval = integer("full_attention_interval", 1 << 20, 4);
  read_mixers(
      fields, MixerKind::kGatedDelta, kLinear,
      [&](int layer) { return (layer + 1) % interval != 0; }, config);
}

void read_shared_expert(JsonFields& fields, int experts_per_token, ModelConfig& config) {
  ExpertsConfig& experts = config.experts;
  read_experts(fields,
               {.num_experts = "num_experts",
                .intermediate_size = "moe_intermediate_size",
                .default_experts_per_token = experts_per_token},
               config);
  experts.shared_intermediate_size =
      static_cast<int>(fields.integer("shared_expert_intermediate_size", 1, 1 << 22, 512));
  experts.gates_shared = true;
}

void read_qwen3_5_moe(JsonFields& fields, ModelConfig& config) {
  read_qwen3_5(fields, config);
  read_shared_expert(fields, 8, config);
}

void read_qwen3_next(JsonFields& fields, ModelConfig& config) {
  read_qwen3_5(fields, config);
  read_shared_expert(fields, 10, config);
  config.experts.route.renormalize = fields.boolean("norm_topk_prob", true);
  read_dense_layers(fields, config);
}

}  // namespace

/// Qwen 3.5: a gated delta net in three of four layers, and attention with an output gate.
const Architecture kQwen35 = {.name = "qwen35",
                              .other_names = kQwen35Names,
                              .defaults = kQwen35Defaults,
                              .read = read_qwen3_5,
                              .hugging_face_names = kQwen35TensorNames,
                              .gguf_names = kQwen35GgufNames,
                              .tiles_heads_in_gguf = true,
                              .norms_minus_one_in_hugging_face = true};

/// Qwen 3.5's mixtures of experts.
const Architecture kQwen35Moe = {.name = "qwen35moe",
                                 .other_names = kQwen35MoeNames,
                                 .defaults = kQwen35Defaults,
                                 .read = read_qwen3_5_moe,
                                 .hugging_face_names = kQwen35TensorNames,
                                 .gguf_names = kQwen35GgufNames,
                                 .tiles_heads_in_gguf = true,
                                 .norms_minus_one_in_hugging_face = true};

/// Qwen 3 Next, which stores the gated delta net's projections head by head.
const Architecture kQwen3Next = {.name = "qwen3next",
                                 .other_names = kQwen3NextNames,
                                 .defaults = kQwen35Defaults,
                                 .read = read_qwen3_next,
                                 .hugging_face_names = kQwen35TensorNames,
                                 .gguf_names = kQwen35GgufNames,
                                 .norms_minus_one_in_hugging_face = true};

}  // namespace quire
