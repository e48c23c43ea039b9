#include <algorithm>
#include <string>
#include <vector>

#include "engine/models/architectures/architecture.h"
#include "engine/models/architectures/config_fields.h"

namespace quire {
namespace {

constexpr std::string_view kDenseNames[] = {"HunYuanDenseV1ForCausalLM", "hunyuan_v1_dense"};
constexpr std::string_view kMoeNames[] = {"HunYuanMoEV1ForCausalLM", "hunyuan_v1_moe"};
constexpr std::string_view kHyV3Names[] = {"HYV3ForCausalLM"};
constexpr TensorName kTensorNames[] = {{"attn_q_norm", "self_attn.query_layernorm"},
                                       {"attn_k_norm", "self_attn.key_layernorm"},
                                       {"ffn_gate_inp", "mlp.gate.wg"},
                                       {"ffn_gate_shexp", "mlp.shared_mlp.gate_proj"},
                                       {"ffn_up_shexp", "mlp.shared_mlp.up_proj"},
                                       {"ffn_down_shexp", "mlp.shared_mlp.down_proj"}};
constexpr TensorName kHyV3TensorNames[] = {{"ffn_gate_inp", "mlp.router.gate"},
                                           {"exp_probs_b.bias", "mlp.expert_bias"},
                                           {"ffn_gate_shexp", "mlp.shared_mlp.gate_proj"},
                                           {"ffn_up_shexp", "mlp.shared_mlp.up_proj"},
                                           {"ffn_down_shexp", "mlp.shared_mlp.down_proj"}};

constexpr TensorName kHyV3GgufNames[] = {{"exp_probs_b.bias", "exp_probs_b"}};

void read_dense(JsonFields& fields, ModelConfig& config) {
  read_activation(fields, "hidden_act", "silu", config);
  read_attention_bias(fields, false, config);
  config.qk_norm = QkNorm::kPerHead;
  config.norms_after_rotation = true;
}

/// One number, or a list with the same number for every layer.
int same_in_all_layers(JsonFields& fields, const char* name, int64_t max, int64_t fallback) {
  const std::vector<int64_t> all = fields.integers(name, 0, max);
  if (all.empty()) return static_cast<int>(fallback);
  if (std::ranges::any_of(all, [&](int64_t n) { return n != all.front(); })) {
    fields.fail(ErrorCode::kUnsupported,
                std::string(name) +
                    " differs between layers; Quire runs models with the same in "
                    "all of them");
  }
  return static_cast<int>(all.front());
}

void read_moe(JsonFields& fields, ModelConfig& config) {
  read_dense(fields, config);
  ExpertsConfig& experts = config.experts;
  experts.num_experts = same_in_all_layers(fields, "num_experts", 4096, 1);
  experts.experts_per_token = same_in_all_layers(fields, "moe_topk", 4096, 1);
  experts.intermediate_size =
      same_in_all_layers(fields, "moe_intermediate_size", 1 << 22, config.intermediate_size);
  const int shared = same_in_all_layers(fields, "num_shared_expert", 64, 1);
  experts.shared_intermediate_size = shared * config.intermediate_size;
  const bool is_possible = experts.experts_per_token >= 1 && experts.intermediate_size >= 1 &&
                           experts.experts_per_token <= experts.num_experts;
  if (!fields.error() && !is_possible) {
    fields.fail(ErrorCode::kCorruptFile,
                "moe_topk is " + std::to_string(experts.experts_per_token) + " of " +
                    std::to_string(experts.num_experts) + " experts with " +
                    std::to_string(experts.intermediate_size) + " columns, which cannot be");
  }
  for (LayerConfig& layer : config.layers) layer.has_experts = true;
}

void read_hy_v3(JsonFields& fields, ModelConfig& config) {
  read_activation(fields, "hidden_act", "silu", config);
  read_attention_bias(fields, false, config);
  read_mlp_bias(fields, config);
  config.qk_norm = QkNorm::kPerHead;
  read_experts(fields,
               {.num_experts = "num_experts",
                .intermediate_size = "moe_intermediate_size",
                .default_experts_per_token = 8},
               config);
  ExpertsConfig& experts = config.experts;
  read_sigmoid_routing(fields, config);
  experts.route.renormalize = fields.boolean("route_norm", true);
  experts.route.scale =
      static_cast<float>(fields.number("router_scaling_factor", 1e-6, 1e6, 2.826));
  read_shared_experts(fields, "num_shared_experts", 1, config);
  read_layer_kinds(fields, 1, config);
}

}  // namespace

/// Hunyuan (arXiv:2411.02265): queries and keys are normed once they are rotated.
const Architecture kHunyuanDense = {.name = "hunyuan-dense",
                                    .other_names = kDenseNames,
                                    .defaults = {.norm_eps = 1e-5},
                                    .read = read_dense,
                                    .hugging_face_names = kTensorNames};

/// Its mixtures of experts, with an MLP that all tokens share.
const Architecture kHunyuanMoe = {.name = "hunyuan-moe",
                                  .other_names = kMoeNames,
                                  .defaults = {.norm_eps = 1e-5},
                                  .read = read_moe,
                                  .hugging_face_names = kTensorNames};

/// Hunyuan 3: experts chosen as DeepSeek V3's, attention as Qwen 3's.
const Architecture kHyV3 = {.name = "hy_v3",
                            .other_names = kHyV3Names,
                            .defaults = {.num_kv_heads = 8,
                                         .head_dim = 128,
                                         .max_positions = 131072,
                                         .norm_eps = 1e-5,
                                         .rope = {.theta = 11158840.0}},
                            .read = read_hy_v3,
                            .hugging_face_names = kHyV3TensorNames,
                            .gguf_names = kHyV3GgufNames};

}  // namespace quire
