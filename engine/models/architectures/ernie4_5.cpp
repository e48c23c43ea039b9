#include "engine/models/architectures/architecture.h"
#include "engine/models/architectures/config_fields.h"

namespace quire {
namespace {

constexpr std::string_view kErnieNames[] = {"Ernie4_5ForCausalLM", "ernie4_5"};
constexpr std::string_view kErnieMoeNames[] = {"Ernie4_5_MoeForCausalLM", "ernie4_5_moe"};
constexpr TensorName kErnieMoeTensorNames[] = {
    {"exp_probs_b.bias", "mlp.moe_statics.e_score_correction_bias"}};

void read_ernie(JsonFields& fields, ModelConfig& config) {
  read_activation(fields, "hidden_act", "silu", config);
  const bool has_bias = fields.boolean("use_bias", false);
  config.qkv_bias = config.output_bias = config.mlp_bias = has_bias;
}

void read_ernie_moe(JsonFields& fields, ModelConfig& config) {
  read_ernie(fields, config);
  if (config.qkv_bias) {
    return fields.fail(ErrorCode::kUnsupported,
                       "use_bias is true; Quire runs mixtures of experts of this kind without it");
  }
  read_experts(fields,
               {.num_experts = "moe_num_experts",
                .experts_per_token = "moe_k",
                .intermediate_size = "moe_intermediate_size",
                .default_experts_per_token = 6},
               config);
  config.experts.has_choice_bias = true;
  read_shared_experts(fields, "moe_num_shared_experts", 2, config);
  const int64_t interval = fields.integer("moe_layer_interval", 1, 4096, 1);
  const int64_t first = fields.integer("moe_layer_start_index", 0, 4096, 1);
  const int64_t last = fields.integer("moe_layer_end_index", -1, 4096, -1);
  for (size_t i = 0; i < config.layers.size(); ++i) {
    const auto layer = static_cast<int64_t>(i);
    const bool is_within = layer >= first && (last < 0 || layer <= last);
    config.layers[i].has_experts = (layer + 1) % interval == 0 && is_within;
  }
}

}  // namespace

/// ERNIE 4.5: Llama that rotates adjacent pairs.
const Architecture kErnie45 = {.name = "ernie4_5",
                               .other_names = kErnieNames,
                               .defaults = {.num_kv_heads = 2,
                                            .head_dim = 128,
                                            .max_positions = 131072,
                                            .norm_eps = 1e-5,
                                            .tie_word_embeddings = true,
                                            .rope = {.theta = 500000.0}},
                               .read = read_ernie,
                               .rotates_pairs_in_gguf = true,
                               .rotates_pairs_in_hugging_face = true};

/// Its mixtures of experts, chosen by softmax and a bias.
const Architecture kErnie45Moe = {.name = "ernie4_5-moe",
                                  .other_names = kErnieMoeNames,
                                  .defaults = {.num_kv_heads = 4,
                                               .max_positions = 131072,
                                               .norm_eps = 1e-5,
                                               .tie_word_embeddings = true,
                                               .rope = {.theta = 500000.0}},
                                  .read = read_ernie_moe,
                                  .hugging_face_names = kErnieMoeTensorNames,
                                  .rotates_pairs_in_gguf = true,
                                  .rotates_pairs_in_hugging_face = true};

}  // namespace quire
