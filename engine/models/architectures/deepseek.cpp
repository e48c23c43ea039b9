#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/io/text.h"
#include "engine/models/architectures/architecture.h"
#include "engine/models/architectures/config_fields.h"

namespace quire {
namespace {

using Scoring = RouteParams::Scoring;
using GroupRank = RouteParams::GroupRank;

constexpr std::string_view kDeepseek2Names[] = {"DeepseekV2ForCausalLM", "deepseek_v2"};
constexpr std::string_view kDeepseekV3Names[] = {"DeepseekV3ForCausalLM", "kimi_k2"};
constexpr std::string_view kGlm4MoeLiteNames[] = {"Glm4MoeLiteForCausalLM"};
constexpr std::string_view kMistral4Names[] = {"Mistral4ForCausalLM"};

constexpr TensorName kLatentNames[] = {{"attn_q_a", "self_attn.q_a_proj"},
                                       {"attn_q_a_norm", "self_attn.q_a_layernorm"},
                                       {"attn_q_b", "self_attn.q_b_proj"},
                                       {"attn_kv_a_mqa", "self_attn.kv_a_proj_with_mqa"},
                                       {"attn_kv_a_norm", "self_attn.kv_a_layernorm"},
                                       {"attn_kv_b", "self_attn.kv_b_proj"}};

/// Sizes where config.json gives none.
struct LatentDefaults {
  int q_rank = 1536;
  int kv_rank = 512;
  int nope_dim = 128;
  int value_dim = 128;
};

/// Latent attention in every layer. Its pages have one KV head.
void read_latent_attention(JsonFields& fields, const LatentDefaults& defaults,
                           ModelConfig& config) {
  const auto integer = [&](const char* name, int64_t min, int64_t fallback) {
    return static_cast<int>(fields.integer(name, min, 1 << 16, fallback));
  };
  const bool has_query_latent = !fields.is_null("q_lora_rank");
  MlaConfig& mla = config.mla;
  mla.q_rank = has_query_latent ? integer("q_lora_rank", 0, defaults.q_rank) : 0;
  mla.kv_rank = integer("kv_lora_rank", 1, defaults.kv_rank);
  mla.nope_dim = integer("qk_nope_head_dim", 1, defaults.nope_dim);
  mla.rope_dim = integer("qk_rope_head_dim", 2, 64);
  mla.value_dim = integer("v_head_dim", 1, defaults.value_dim);
  mla.rotates_pairs = fields.boolean("rope_interleave", true);
  if (mla.rope_dim % 2 != 0) {
    fields.fail(ErrorCode::kCorruptFile, "qk_rope_head_dim is " + std::to_string(mla.rope_dim) +
                                             ", which is not an even number");
  }
  read_activation(fields, "hidden_act", "silu", config);
  read_attention_bias(fields, false, config);
  config.num_kv_heads = 1;
  config.head_dim = mla.rope_dim;  // Of the rotation; finish_latent_attention() says the pages'.
  for (LayerConfig& layer : config.layers) layer.mixer = MixerKind::kMla;
}

/// What depends on the rotation.
void finish_latent_attention(ModelConfig& config) {
  const MlaConfig& mla = config.mla;
  RopeConfig& rope = config.ropes.front();
  rope.rotary_dim = mla.rope_dim;  // Some files say the part of all dimensions of a head.
  // A mscale_all_dim that is given multiplies scores, whose two sides both had it.
  const float factor = rope.score_factor * rope.score_factor;
  config.attention_scale = factor / std::sqrt(static_cast<float>(mla.nope_dim + mla.rope_dim));
  config.head_dim = mla.rope_dim + mla.kv_rank;
}

/// Experts after the first layers, and an MLP that all tokens share.
void read_routed_experts(JsonFields& fields, int experts_per_token, ModelConfig& config) {
  read_experts(fields,
               {.num_experts = "n_routed_experts",
                .intermediate_size = "moe_intermediate_size",
                .default_experts_per_token = experts_per_token},
               config);
  read_shared_experts(fields, "n_shared_experts", 0, config);
  if (fields.integer("moe_layer_freq", 0, 4096, 1) != 1) {
    fields.fail(ErrorCode::kUnsupported,
                "moe_layer_freq is not 1; Quire runs models with experts in every layer after the "
                "first ones");
  }
}

void refuse_routing(JsonFields& fields, const char* name, const std::string& value,
                    const char* supported) {
  fields.fail(ErrorCode::kUnsupported, std::string(name) + " is \"" + for_message(value) +
                                           "\"; Quire supports " + supported +
                                           " for this architecture");
}

/// DeepSeek V2's routing: softmax, the best experts of all or of the groups with the best ones.
void read_softmax_routing(JsonFields& fields, const std::string& method, ModelConfig& config) {
  read_sigmoid_routing(fields, config);  // Groups and the scale.
  RouteParams& route = config.experts.route;
  config.experts.has_choice_bias = false;
  route.scoring = Scoring::kSoftmax;
  route.group_rank = GroupRank::kBest;
  // DeepSeek's own code then leaves out the scale, transformers the norm; no published model has
  // it.
  if (fields.boolean("norm_topk_prob", false)) {
    fields.fail(ErrorCode::kUnsupported,
                "norm_topk_prob is true; with a softmax Quire runs models without it");
  }
  route.renormalize = false;
  if (method != "greedy") return;
  route.num_groups = route.top_groups = 1;
}

/// GGUF calls every model of this file so; scoring_func tells them apart.
void read_deepseek2(JsonFields& fields, ModelConfig& config) {
  read_latent_attention(fields, {}, config);
  read_query_scale(fields, 8192, config);
  read_routed_experts(fields, 8, config);
  read_leading_dense_layers(fields, 0, config);
  const std::string scoring = fields.string("scoring_func", "softmax");
  const std::string method =
      fields.string("topk_method", scoring == "sigmoid" ? "noaux_tc" : "greedy");
  if (scoring == "sigmoid" && method == "noaux_tc") return read_sigmoid_routing(fields, config);
  if (scoring != "softmax") {
    return refuse_routing(fields, "scoring_func", scoring, "softmax, and sigmoid with noaux_tc");
  }
  if (method != "greedy" && method != "group_limited_greedy") {
    return refuse_routing(fields, "topk_method", method, "greedy and group_limited_greedy");
  }
  read_softmax_routing(fields, method, config);
}

void read_deepseek_v3(JsonFields& fields, ModelConfig& config) {
  read_latent_attention(fields, {}, config);
  read_routed_experts(fields, 8, config);
  read_leading_dense_layers(fields, 3, config);
  const std::string scoring = fields.string("scoring_func", "sigmoid");
  const std::string method = fields.string("topk_method", "noaux_tc");
  if (scoring != "sigmoid") return refuse_routing(fields, "scoring_func", scoring, "sigmoid");
  if (method != "noaux_tc") return refuse_routing(fields, "topk_method", method, "noaux_tc");
  read_sigmoid_routing(fields, config);
}

void read_glm4_moe_lite(JsonFields& fields, ModelConfig& config) {
  read_latent_attention(fields, {.q_rank = 768, .nope_dim = 192, .value_dim = 256}, config);
  read_routed_experts(fields, 4, config);
  read_sigmoid_routing(fields, config);
  read_layer_kinds(fields, 1, config);
}

void read_mistral4(JsonFields& fields, ModelConfig& config) {
  read_latent_attention(fields, {.q_rank = 1024, .kv_rank = 256, .nope_dim = 64}, config);
  read_routed_experts(fields, 4, config);
  read_sigmoid_routing(fields, config);
  config.experts.has_choice_bias = false;
  config.experts.route.scoring = Scoring::kSoftmax;
  read_leading_dense_layers(fields, 0, config);
  if (!fields.has("rope_parameters")) {
    return fields.fail(ErrorCode::kCorruptFile, "rope_parameters is missing");
  }
  read_query_scale(fields, 8192, config);
}

}  // namespace

/// DeepSeek V2 (arXiv:2405.04434).
const Architecture kDeepseek2 = {.name = "deepseek2",
                                 .other_names = kDeepseek2Names,
                                 .defaults = {.head_dim = 64},
                                 .read = read_deepseek2,
                                 .finish = finish_latent_attention,
                                 .hugging_face_names = kLatentNames};

/// DeepSeek V3 and R1 (arXiv:2412.19437), Kimi K2 (arXiv:2507.20534).
const Architecture kDeepseekV3 = {.name = "deepseek_v3",
                                  .other_names = kDeepseekV3Names,
                                  .defaults = {.head_dim = 64, .max_positions = 4096},
                                  .read = read_deepseek_v3,
                                  .finish = finish_latent_attention,
                                  .has_gguf_layout = false,
                                  .hugging_face_names = kLatentNames};

/// GLM 4.7 Flash.
const Architecture kGlm4MoeLite = {
    .name = "glm4_moe_lite",
    .other_names = kGlm4MoeLiteNames,
    .defaults = {.head_dim = 64, .max_positions = 202752, .norm_eps = 1e-5},
    .read = read_glm4_moe_lite,
    .finish = finish_latent_attention,
    .has_gguf_layout = false,
    .hugging_face_names = kLatentNames};

/// Mistral Small 4.
const Architecture kMistral4 = {
    .name = "mistral4",
    .other_names = kMistral4Names,
    .defaults = {.head_dim = 128, .max_positions = 1048576, .rope = {.extends_by_yarn = false}},
    .read = read_mistral4,
    .finish = finish_latent_attention,
    .hugging_face_names = kLatentNames};

}  // namespace quire
