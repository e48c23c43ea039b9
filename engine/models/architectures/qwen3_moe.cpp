#include "engine/models/architectures/architecture.h"
#include "engine/models/architectures/config_fields.h"

namespace quire {
namespace {

constexpr std::string_view kQwen2MoeNames[] = {"Qwen2MoeForCausalLM", "qwen2_moe"};
constexpr TensorName kQwen2MoeTensorNames[] = {{"ffn_gate_shexp", "mlp.shared_expert.gate_proj"},
                                               {"ffn_up_shexp", "mlp.shared_expert.up_proj"},
                                               {"ffn_down_shexp", "mlp.shared_expert.down_proj"},
                                               {"ffn_gate_inp_shexp", "mlp.shared_expert_gate"}};
constexpr std::string_view kQwen3MoeNames[] = {"Qwen3MoeForCausalLM", "qwen3_moe"};

void read_qwen3_moe(JsonFields& fields, ModelConfig& config) {
  read_activation(fields, "hidden_act", "silu", config);
  read_attention_bias(fields, false, config);
  config.qk_norm = QkNorm::kPerHead;
  if (fields.boolean("use_sliding_window", false)) read_window(fields, 4096, config);
  read_experts(
      fields,
      {.num_experts = fields.has("num_local_experts") ? "num_local_experts" : "num_experts",
       .intermediate_size = "moe_intermediate_size",
       .default_experts_per_token = 8},
      config);
  config.experts.route.renormalize = fields.boolean("norm_topk_prob", false);
  read_dense_layers(fields, config);
}

void read_qwen2_moe(JsonFields& fields, ModelConfig& config) {
  read_activation(fields, "hidden_act", "silu", config);
  config.qkv_bias = fields.boolean("qkv_bias", true);
  read_optional_window(fields, config);
  ExpertsConfig& experts = config.experts;
  read_experts(fields,
               {.num_experts = "num_experts",
                .intermediate_size = "moe_intermediate_size",
                .default_experts_per_token = 4},
               config);
  experts.route.renormalize = fields.boolean("norm_topk_prob", false);
  experts.shared_intermediate_size =
      static_cast<int>(fields.integer("shared_expert_intermediate_size", 1, 1 << 22, 5632));
  experts.gates_shared = true;
  read_dense_layers(fields, config);
}

}  // namespace

/// Qwen 1.5's and 2's mixtures of experts (arXiv:2407.10671), with a gated MLP that all tokens
/// share.
const Architecture kQwen2Moe = {.name = "qwen2moe",
                                .other_names = kQwen2MoeNames,
                                .defaults = {.num_kv_heads = 16, .max_positions = 32768},
                                .read = read_qwen2_moe,
                                .hugging_face_names = kQwen2MoeTensorNames};

/// Qwen 3's mixtures of experts (arXiv:2505.09388).
const Architecture kQwen3Moe = {.name = "qwen3moe",
                                .other_names = kQwen3MoeNames,
                                .defaults = {.num_kv_heads = 4, .max_positions = 32768},
                                .read = read_qwen3_moe};

}  // namespace quire
