#include <algorithm>
#include <string>
#include <utility>

#include "engine/models/gguf_translation.h"

namespace quire {
namespace {

using nlohmann::json;

/// One number, or a list with one for each layer, of a key without the architecture's prefix.
std::vector<double> of_layers(GgufTranslation& to, const char* key, double fallback) {
  std::vector<double> list = to.file.numbers(key);
  const auto layers = static_cast<size_t>(to.num_layers());
  if (list.empty()) list.assign(layers, to.file.number(key).value_or(fallback));
  if (list.size() != layers) {
    to.keys.fail(ErrorCode::kCorruptFile, std::string(key) + " has " + std::to_string(list.size()) +
                                              " numbers for " + std::to_string(layers) +
                                              " layers; choose another conversion of the model");
    list.resize(layers);
  }
  return list;
}

}  // namespace

/// The routing of DeepSeek V3 and its followers.
void add_sigmoid_routing(GgufTranslation& to) {
  json& config = to.config;
  const auto or_one = [](std::optional<int64_t> value) {
    return value.value_or(0) == 0 ? 1 : *value;
  };
  config["n_group"] = or_one(to.keys.integer("expert_group_count"));
  config["topk_group"] = or_one(to.keys.integer("expert_group_used_count"));
  const double scale = to.keys.number("expert_weights_scale").value_or(1.0);
  config["routed_scaling_factor"] = scale == 0.0 ? 1.0 : scale;
  // As llama.cpp for files without the key.
  config["norm_topk_prob"] = to.keys.boolean("expert_weights_norm").value_or(to.is("minimax-m2"));
}

/// DeepSeek V2 and V3 and models of their shape. Newer files describe the pages of their latents as
/// heads, and the heads themselves by keys of their own.
void add_deepseek2(GgufTranslation& to) {
  GgufKeys& keys = to.keys;
  json& config = to.config;
  const auto either = [&](const char* key, const char* older) {
    const auto value = keys.integer(key);
    return value ? *value : keys.required_integer(older);
  };
  const int64_t rotated = keys.required_integer("rope.dimension_count");
  config["qk_rope_head_dim"] = config["head_dim"] = rotated;
  // Of numbers that are no sizes, the difference might not fit.
  const int64_t key_length = either("attention.key_length_mla", "attention.key_length");
  config["qk_nope_head_dim"] = key_length > rotated && rotated >= 0 ? key_length - rotated : 0;
  config["v_head_dim"] = either("attention.value_length_mla", "attention.value_length");
  config["kv_lora_rank"] = keys.required_integer("attention.kv_lora_rank");
  config["q_lora_rank"] = nullptr;
  to.copy_integer("attention.q_lora_rank", "q_lora_rank");
  config["attention_bias"] = to.has_tensor(0, "attn_kv_a_mqa.bias");
  add_experts(to, "n_routed_experts", "moe_intermediate_size");
  to.copy_integer("expert_shared_count", "n_shared_experts");
  to.copy_integer("leading_dense_block_count", "first_k_dense_replace");
  to.copy_integer("expert_group_count", "n_group");
  to.copy_integer("expert_group_used_count", "topk_group");
  config["norm_topk_prob"] = keys.boolean("expert_weights_norm").value_or(false);
  if (const double scale = keys.number("expert_weights_scale").value_or(0.0); scale != 0.0) {
    config["routed_scaling_factor"] = scale;
  }
  // Older files do not say it; a bias for the choice comes with sigmoids.
  const int64_t last = config.value("num_hidden_layers", int64_t{1}) - 1;
  const bool has_bias = to.has_tensor(last, "exp_probs_b.bias");
  constexpr int64_t kSoftmax = 1, kSigmoid = 2;
  const int64_t gating =
      keys.integer("expert_gating_func").value_or(has_bias ? kSigmoid : kSoftmax);
  if (gating != kSoftmax && gating != kSigmoid) {
    keys.refuse("expert_gating_func", std::to_string(gating),
                "that choose experts by a softmax or sigmoids");
  }
  config["scoring_func"] = gating == kSigmoid ? "sigmoid" : "softmax";
  const bool has_groups = config.value("n_group", int64_t{1}) > 1;
  config["topk_method"] =
      gating == kSigmoid ? "noaux_tc" : (has_groups ? "group_limited_greedy" : "greedy");
}

/// The activations' parameters, which folders have as tensors.
void add_apertus(GgufTranslation& to) {
  if (!to.file.has("xielu.alpha_p") || !to.file.has("xielu.alpha_n")) {
    return to.keys.fail(ErrorCode::kCorruptFile,
                        "xielu.alpha_p or xielu.alpha_n is missing; choose another conversion of "
                        "the model");
  }
  const auto positive = of_layers(to, "xielu.alpha_p", 0.0);
  const auto negative = of_layers(to, "xielu.alpha_n", 0.0);
  const auto beta = of_layers(to, "xielu.beta", 0.5), eps = of_layers(to, "xielu.eps", -1e-6);
  json layers = json::array();
  for (size_t i = 0; i < positive.size(); ++i) {
    layers.push_back(
        {{"alpha_p", positive[i]}, {"alpha_n", negative[i]}, {"beta", beta[i]}, {"eps", eps[i]}});
  }
  to.config["xielu_parameters"] = std::move(layers);
}

/// The width of the MLP that all tokens share is that of all of them together.
void add_hunyuan_moe(GgufTranslation& to) {
  add_experts(to, "num_experts", "moe_intermediate_size");
  to.copy_integer("expert_used_count", "moe_topk");
  to.copy_integer("expert_shared_feed_forward_length", "intermediate_size");
  to.config["num_shared_expert"] = 1;
}

void add_hy_v3(GgufTranslation& to) {
  json& config = to.config;
  add_experts(to, "num_experts", "moe_intermediate_size");
  add_sigmoid_routing(to);
  config["route_norm"] = config["norm_topk_prob"];
  config["router_scaling_factor"] = config["routed_scaling_factor"];
  const int64_t size = std::max<int64_t>(1, config.value("moe_intermediate_size", int64_t{0}));
  const int64_t shared = to.keys.integer("expert_shared_feed_forward_length").value_or(size);
  if (shared % size != 0) {
    to.keys.refuse("expert_shared_feed_forward_length", std::to_string(shared),
                   "with whole shared experts");
  }
  config["num_shared_experts"] = shared / size;
  json kinds = json::array();
  for (int64_t i = 0; i < to.num_layers(); ++i) {
    kinds.push_back(to.has_tensor(i, "ffn_gate_inp.weight") ? "sparse" : "dense");
  }
  config["mlp_layer_types"] = std::move(kinds);
}

/// llama.cpp has the published models' chunks and temperatures built in, and takes a window of 0
/// for neither chunks nor layers without rotation.
void add_llama4(GgufTranslation& to) {
  constexpr int64_t kChunk = 8192;
  constexpr int64_t kExpertsOfMaverick = 128;
  json& config = to.config;
  to.copy_integer("feed_forward_length", "intermediate_size_mlp");
  add_experts(to, "num_local_experts", "intermediate_size");
  to.copy_integer("interleave_moe_layer_step", "interleave_moe_layer_step");
  config["use_qk_norm"] = config.value("num_local_experts", int64_t{0}) != kExpertsOfMaverick;
  const int64_t window = to.keys.integer("attention.sliding_window").value_or(kChunk);
  if (window != 0 && window != kChunk) {
    to.keys.refuse("attention.sliding_window", std::to_string(window), "with chunks of 8192");
  }
  if (to.keys.has("attention.sliding_window_pattern")) {
    to.keys.refuse("attention.sliding_window_pattern", "given",
                   "of this kind whose every fourth layer sees all tokens");
  }
  config["attention_chunk_size"] = window;
  if (window == 0) config["no_rope_layers"] = json(static_cast<size_t>(to.num_layers()), 1);
}

void add_mistral4(GgufTranslation& to) {
  add_deepseek2(to);
  if (to.config["scoring_func"] != "softmax") {
    to.keys.refuse("expert_gating_func", "another", "that choose experts by a softmax");
  }
}

}  // namespace quire
