#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "engine/models/gguf_translation.h"

namespace quire {
namespace {

using nlohmann::json;

/// Mistral and Mixtral are stored as Llama and recognised by their additional keys.
void add_llama(GgufTranslation& to) {
  const int64_t experts = to.keys.integer("expert_count").value_or(0);
  if (experts > 0) add_experts(to, "num_local_experts", "intermediate_size");
  if (to.config["sliding_window"].is_null()) return;
  to.config["architectures"] = {experts > 0 ? "mixtral" : "mistral"};
}

/// The files lack the scale of queries: the largest model of each family (46 or 62 layers) scales
/// by hidden_size / num_heads, the others by their head_dim.
void add_gemma(GgufTranslation& to, int64_t layers_of_largest) {
  json& config = to.config;
  const auto heads = config.value("num_attention_heads", int64_t{0});
  const auto hidden = config.value("hidden_size", int64_t{0});
  const bool is_largest = config["num_hidden_layers"] == layers_of_largest;
  const bool has_head_dim = config["head_dim"].is_number();
  const bool by_hidden_size = heads > 0 && (is_largest || !has_head_dim);
  config["query_pre_attn_scalar"] = by_hidden_size ? json(hidden / heads) : config["head_dim"];
  if (const auto scale = to.keys.number("attention.scale"); scale && *scale > 0.0) {
    config["query_pre_attn_scalar"] = 1.0 / (*scale * *scale);
  }
  to.copy_number("attn_logit_softcapping", "attn_logit_softcapping");
  to.copy_number("final_logit_softcapping", "final_logit_softcapping");
}

void add_gemma3(GgufTranslation& to) {
  add_gemma(to, 62);
  // Without a window all layers are global, and none rotates as local ones do.
  if (to.config["sliding_window"].is_null()) to.config["sliding_window_pattern"] = 1;
}

void add_granite(GgufTranslation& to) {
  add_granite_multipliers(to);
  // llama.cpp turns rotations off in Granite 4 by this key.
  if (!to.keys.boolean("rope.scaling.finetuned").value_or(true)) {
    to.keys.fail(ErrorCode::kUnsupported, to.keys.key("rope.scaling.finetuned") +
                                              " is false, which makes this a Granite whose layers "
                                              "do not rotate; Quire runs those that do");
  }
}

void add_qwen3_moe(GgufTranslation& to) {
  add_experts(to, "num_experts", "moe_intermediate_size");
  // llama.cpp always normalises the weights of the selected experts.
  to.config["norm_topk_prob"] = true;
  add_layers_without_router(to);
  if (!to.config.contains("intermediate_size")) {
    to.copy_integer("expert_feed_forward_length", "intermediate_size");
  }
}

/// OLMo 3 is stored as OLMo 2, but some of its layers have a window.
void add_olmo2(GgufTranslation& to) {
  if (!to.config["sliding_window"].is_null()) to.config["architectures"] = {"olmo3"};
}

void add_granite_moe(GgufTranslation& to) {
  add_granite(to);
  add_experts(to, "num_local_experts", "intermediate_size");
}

void add_glm4_moe(GgufTranslation& to) {
  add_experts(to, "n_routed_experts", "moe_intermediate_size");
  add_sigmoid_routing(to);
  to.config["n_shared_experts"] = to.keys.integer("expert_shared_count").value_or(0);
  to.config["first_k_dense_replace"] = to.keys.integer("leading_dense_block_count").value_or(0);
  to.config["use_qk_norm"] = to.has_tensor(0, "attn_q_norm.weight");
}

void add_minimax_m2(GgufTranslation& to) {
  add_experts(to, "num_local_experts", "intermediate_size");
  add_sigmoid_routing(to);
}

void add_ernie(GgufTranslation& to) {
  to.config["use_bias"] = to.config["attention_bias"];
}

void add_ernie_moe(GgufTranslation& to) {
  add_ernie(to);
  add_experts(to, "moe_num_experts", "moe_intermediate_size");
  to.copy_integer("expert_used_count", "moe_k");
  to.config["moe_num_shared_experts"] = to.keys.integer("expert_shared_count").value_or(0);
  to.config["moe_layer_start_index"] = to.keys.integer("leading_dense_block_count").value_or(0);
  to.copy_integer("interleave_moe_layer_step", "moe_layer_interval");
}

void add_qwen2_moe(GgufTranslation& to) {
  add_shared_expert(to);
  to.config["qkv_bias"] = to.config["attention_bias"];
}

/// Those without plain MLPs may lack their size.
void add_qwen35_moe(GgufTranslation& to) {
  add_delta_net(to);
  add_shared_expert(to);
  if (!to.config.contains("intermediate_size")) {
    to.copy_integer("expert_feed_forward_length", "intermediate_size");
  }
}

void add_qwen3_next(GgufTranslation& to) {
  add_qwen35_moe(to);
  to.config["norm_topk_prob"] = true;  // As for Qwen 3.
  add_layers_without_router(to);
}

void add_lfm2_moe(GgufTranslation& to) {
  add_short_convolutions(to);
  add_experts(to, "num_experts", "moe_intermediate_size");
  add_sigmoid_routing(to);
  to.config["norm_topk_prob"] = true;  // llama.cpp has it built in.
  to.config["num_dense_layers"] = to.keys.integer("leading_dense_block_count").value_or(0);
}

/// Without experts, the MLP is the shared one.
void add_granite_hybrid(GgufTranslation& to) {
  json& config = to.config;
  add_granite_multipliers(to);
  add_scan(to);
  config["num_local_experts"] = 0;
  add_experts(to, "num_local_experts", "intermediate_size");
  to.copy_integer("feed_forward_length", "shared_intermediate_size");
  to.copy_integer("expert_shared_feed_forward_length", "shared_intermediate_size");
  const bool rotates = to.keys.boolean("rope.scaling.finetuned").value_or(true);
  config["position_embedding_type"] = rotates ? "rope" : "nope";
}

void add_nemotron_h_moe(GgufTranslation& to) {
  json& config = to.config;
  add_nemotron_h(to);
  const int64_t used = std::max(to.keys.integer("expert_used_count").value_or(1), int64_t{1});
  config["moe_intermediate_size"] = config.value("intermediate_size", int64_t{0}) / used;
  add_experts(to, "n_routed_experts", "moe_intermediate_size");
  add_sigmoid_routing(to);
  to.copy_integer("expert_shared_feed_forward_length", "moe_shared_expert_intermediate_size");
  to.copy_integer("moe_latent_size", "moe_latent_size");
}

void add_seed_oss(GgufTranslation& to) {
  to.config["attention_out_bias"] = to.has_tensor(0, "attn_output.bias");
}

void add_cohere2(GgufTranslation& to) {
  to.config["logit_scale"] = to.keys.required_number("logit_scale");
}

/// The norms of queries hold qk_scale_factor, and layers without a window do not rotate.
void add_muse_glimmer(GgufTranslation& to) {
  json& config = to.config;
  config["qk_scale_factor"] = 1.0;
  config["has_qk_norm_weights"] = true;
  config["output_multiplier"] = to.keys.required_number("logit_scale");
  config["final_logit_softcapping"] = to.keys.number("final_logit_softcapping").value_or(0.0);
  const json types = config.value("layer_types", json::array());
  json thetas = json::array();
  for (int64_t i = 0; i < to.num_layers(); ++i) {
    const bool is_sliding = !types.empty() && types[static_cast<size_t>(i)] == "sliding_attention";
    thetas.push_back(is_sliding ? 1 : 0);
  }
  config["layer_rope_theta"] = std::move(thetas);
}

void add_gpt_neox(GgufTranslation& to) {
  to.config["use_parallel_residual"] = to.keys.boolean("use_parallel_residual").value_or(true);
}

/// The key use_parallel_residual is wrong in old files; llama.cpp goes by the tensors, too.
void add_stablelm(GgufTranslation& to) {
  to.config["use_parallel_residual"] = !to.has_tensor(0, "ffn_norm.weight");
  to.config["use_qkv_bias"] = to.config["attention_bias"];
  to.config["qk_layernorm"] = to.has_tensor(0, "attn_q_norm.weight");
}

void add_starcoder2(GgufTranslation& to) {
  to.config["use_bias"] = to.config["attention_bias"];
}

void add_gemma2(GgufTranslation& to) {
  add_gemma(to, 46);
}
void add_gpt_oss(GgufTranslation& to) {
  add_experts(to, "num_local_experts", "intermediate_size");
}

struct Extension {
  std::string_view architecture;
  void (*add)(GgufTranslation& to);
};
constexpr Extension kExtensions[] = {
    {"apertus", add_apertus},
    {"cohere2", add_cohere2},
    {"deepseek2", add_deepseek2},
    {"dots1", add_glm4_moe},
    {"ernie4_5", add_ernie},
    {"ernie4_5-moe", add_ernie_moe},
    {"falcon-h1", add_falcon_h1},
    {"gemma2", add_gemma2},
    {"gemma3", add_gemma3},
    {"gemma3n", add_gemma3n},
    {"gemma4", add_gemma4},
    {"glm4moe", add_glm4_moe},
    {"gpt-oss", add_gpt_oss},
    {"gptneox", add_gpt_neox},
    {"granite", add_granite},
    {"granitehybrid", add_granite_hybrid},
    {"granitemoe", add_granite_moe},
    {"hunyuan-moe", add_hunyuan_moe},
    {"hy_v3", add_hy_v3},
    {"lfm2", add_short_convolutions},
    {"lfm2moe", add_lfm2_moe},
    {"llama", add_llama},
    {"llama4", add_llama4},
    {"minimax-m2", add_minimax_m2},
    {"mistral4", add_mistral4},
    {"muse-glimmer", add_muse_glimmer},
    {"nemotron_h", add_nemotron_h},
    {"nemotron_h_moe", add_nemotron_h_moe},
    {"olmo2", add_olmo2},
    {"qwen2moe", add_qwen2_moe},
    {"qwen35", add_delta_net},
    {"qwen35moe", add_qwen35_moe},
    {"qwen3moe", add_qwen3_moe},
    {"qwen3next", add_qwen3_next},
    {"seed_oss", add_seed_oss},
    {"stablelm", add_stablelm},
    {"starcoder2", add_starcoder2},
};

/// How an architecture chooses experts, as its keys number and name it.
struct Gating {
  int64_t id;
  const char* name;
};
Gating gating_of(const GgufTranslation& to) {
  if (to.is("gpt-oss")) return {3, "a softmax"};  // Over the chosen experts.
  for (const char* name :
       {"dots1", "glm4moe", "hy_v3", "lfm2moe", "llama4", "minimax-m2", "nemotron_h_moe"}) {
    if (to.is(name)) return {2, "sigmoids"};
  }
  return {1, "a softmax"};  // Over all experts.
}

void refuse_other_routing(GgufTranslation& to) {
  const Gating gating = gating_of(to);
  const int64_t found = to.keys.integer("expert_gating_func").value_or(0);
  if (found != 0 && found != gating.id) {
    to.keys.refuse("expert_gating_func", std::to_string(found),
                   std::string("that choose experts by ") + gating.name);
  }
  // These read all other keys.
  for (const char* name : {"dots1", "glm4moe", "hy_v3", "nemotron_h_moe"}) {
    if (to.is(name)) return;
  }
  const double scale = to.keys.number("expert_weights_scale").value_or(1.0);
  if (scale != 0.0 && scale != 1.0 && !to.is("lfm2moe")) {
    to.keys.refuse("expert_weights_scale", std::to_string(scale),
                   "that do not scale their experts");
  }
  // llama.cpp has these built in.
  const bool is_normed = !to.is("qwen2moe") && !to.is("llama4");
  if (to.keys.boolean("expert_weights_norm").value_or(is_normed) != is_normed) {
    to.keys.refuse("expert_weights_norm", is_normed ? "false" : "true",
                   is_normed ? "whose experts' weights add up to 1"
                             : "of this kind that leave the experts' weights as they are");
  }
  const int64_t groups = to.keys.integer("expert_group_count").value_or(1);
  if (groups > 1 && !to.is("minimax-m2")) {
    to.keys.refuse("expert_group_count", std::to_string(groups), "of this kind without groups");
  }
}

}  // namespace

void add_experts(GgufTranslation& to, const char* count_field, const char* size_field) {
  to.copy_integer("expert_count", count_field);
  to.copy_integer("expert_used_count", "num_experts_per_tok");
  to.copy_integer("expert_feed_forward_length", size_field);
}

/// Files without the experts' own sizes divide the MLP's among those that a token chooses.
void add_shared_expert(GgufTranslation& to) {
  json& config = to.config;
  const int64_t whole = config.value("intermediate_size", int64_t{0});
  const int64_t chosen = to.keys.integer("expert_used_count").value_or(0);
  config["moe_intermediate_size"] = whole / std::max(chosen, int64_t{1});
  config["shared_expert_intermediate_size"] = whole;
  add_experts(to, "num_experts", "moe_intermediate_size");
  to.copy_integer("expert_shared_feed_forward_length", "shared_expert_intermediate_size");
}

void add_layers_without_router(GgufTranslation& to) {
  json dense = json::array();
  for (int64_t i = 0; i < to.num_layers(); ++i) {
    if (!to.has_tensor(i, "ffn_gate_inp.weight")) dense.push_back(i);
  }
  to.config["mlp_only_layers"] = std::move(dense);
}

void add_granite_multipliers(GgufTranslation& to) {
  to.copy_number("embedding_scale", "embedding_multiplier");
  to.copy_number("residual_scale", "residual_multiplier");
  to.copy_number("logit_scale", "logits_scaling");
  if (const auto scale = to.keys.number("attention.scale"); scale && *scale != 0.0) {
    to.config["attention_multiplier"] = *scale;
  } else if (const int64_t size = gguf_head_dim(to.config); size > 0) {
    // As llama.cpp, not the 1 of transformers.
    to.config["attention_multiplier"] = 1.0 / std::sqrt(static_cast<double>(size));
  }
}

int64_t gguf_head_dim(const json& config) {
  if (config["head_dim"].is_number()) return config["head_dim"].get<int64_t>();
  const auto heads = config.value("num_attention_heads", int64_t{0});
  return heads > 0 ? config.value("hidden_size", int64_t{0}) / heads : 0;
}

void add_architecture_fields(GgufTranslation& to) {
  for (const Extension& extension : kExtensions) {
    if (to.is(extension.architecture)) extension.add(to);
  }
}

void refuse_unsupported(GgufTranslation& to) {
  if (!to.keys.boolean("attention.causal").value_or(true)) {
    to.keys.refuse("attention.causal", "false", "that write text");
  }
  if (const auto clamp = to.keys.number("attention.clamp_kqv"); clamp && *clamp != 0.0) {
    to.keys.refuse("attention.clamp_kqv", std::to_string(*clamp),
                   "that do not clamp queries, keys and values");
  }
  if (!to.is("deepseek2") && !to.is("mistral4")) refuse_other_routing(to);
}

}  // namespace quire
