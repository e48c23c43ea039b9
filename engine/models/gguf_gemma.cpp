#include <algorithm>
#include <cmath>
#include <string>

#include "engine/models/gguf_translation.h"

namespace quire {
namespace {

using nlohmann::json;

constexpr char kGemmaKvHeads[] = "attention.head_count_kv";

bool is_global(const GgufTranslation& to, int64_t layer) {
  return to.config["layer_types"][static_cast<size_t>(layer)] == "full_attention";
}

/// The number of dimensions of local layers' heads.
int64_t local_head_dim(GgufTranslation& to) {
  const int64_t dim = to.keys.required_integer("attention.key_length_swa");
  for (const char* key : {"attention.value_length_swa", "rope.dimension_count_swa"}) {
    const auto value = to.keys.integer(key);
    if (value && *value != dim) {
      to.keys.refuse(key, std::to_string(*value),
                     "in which it equals " + to.keys.key("attention.key_length_swa"));
    }
  }
  return dim;
}

/// Heads of local and of global layers differ.
void add_head_shapes(GgufTranslation& to) {
  json& config = to.config;
  config["global_head_dim"] = to.keys.required_integer("attention.key_length");
  config["head_dim"] = local_head_dim(to);
  const std::vector<int64_t> kv_heads = to.keys.per_layer(kGemmaKvHeads);
  json shapes = json::object();
  for (int64_t i = 0; i < to.num_layers(); ++i) {
    const auto at = static_cast<size_t>(i);
    const json heads = at < kv_heads.size() ? json(kv_heads[at]) : config["num_key_value_heads"];
    shapes[std::to_string(i)] = {
        {"head_dim", config[is_global(to, i) ? "global_head_dim" : "head_dim"]},
        {"num_key_value_heads", heads}};
  }
  config["per_layer_config"] = std::move(shapes);
}

/// Whether global layers have no projection of values of their own.
bool have_values_of_keys(const GgufTranslation& to) {
  for (int64_t i = 0; i < to.num_layers(); ++i) {
    if (!is_global(to, i)) continue;
    return !to.has_tensor(i, "attn_v.weight") && !to.has_tensor(i, "attn_qkv.weight");
  }
  return false;
}

void add_per_layer_embeddings(GgufTranslation& to) {
  json& config = to.config;
  config["hidden_size_per_layer_input"] =
      to.keys.integer("embedding_length_per_layer_input").value_or(0);
  const TensorInfo* const table = to.weights.find("per_layer_token_embd.weight");
  if (table != nullptr && table->shape.size() == 2) {
    config["vocab_size_per_layer_input"] = table->shape[0];
  }
}

/// A sparse layer's threshold in standard deviations; a dense one's is minus infinity.
void add_gate_thresholds(GgufTranslation& to) {
  const std::vector<double> scales = to.file.numbers(to.keys.key("activation_sparsity_scale"));
  if (static_cast<int64_t>(scales.size()) != to.num_layers()) {
    to.keys.fail(ErrorCode::kCorruptFile, to.keys.key("activation_sparsity_scale") +
                                              " is not a list of " +
                                              std::to_string(to.num_layers()) +
                                              " numbers; choose another conversion of the model");
  }
  json thresholds = json::array();
  for (const double scale : scales) {
    thresholds.push_back(std::isfinite(scale) ? json(scale) : json(nullptr));
  }
  to.config["gate_thresholds"] = std::move(thresholds);
}

}  // namespace

std::optional<int64_t> gemma_kv_heads(GgufKeys& keys) {
  const std::vector<int64_t> list = keys.per_layer(kGemmaKvHeads);
  return list.empty() ? keys.integer(kGemmaKvHeads) : list.front();
}

void add_gemma4(GgufTranslation& to) {
  json& config = to.config;
  if (!config.contains("layer_types")) {
    to.keys.fail(ErrorCode::kCorruptFile,
                 to.keys.key("attention.sliding_window_pattern") +
                     " does not say which layers have a window; choose another conversion of the "
                     "model");
    return;
  }
  if (to.weights.find("rope_freqs.weight") == nullptr) {
    to.keys.fail(ErrorCode::kCorruptFile,
                 "the tensor rope_freqs.weight, which says how positions rotate, is missing; "
                 "choose another conversion of the model");
    return;
  }
  add_head_shapes(to);
  add_per_layer_embeddings(to);
  config["attention_k_eq_v"] = have_values_of_keys(to);
  config["num_kv_shared_layers"] = to.keys.integer("attention.shared_kv_layers").value_or(0);
  config["has_layer_scale"] = to.has_tensor(0, "layer_output_scale.weight");
  to.copy_number("final_logit_softcapping", "final_logit_softcapping");
  config["enable_moe_block"] = to.keys.integer("expert_count").value_or(0) > 0;
  add_experts(to, "num_experts", "moe_intermediate_size");
  to.copy_integer("expert_used_count", "top_k_experts");
}

void add_gemma3n(GgufTranslation& to) {
  json& config = to.config;
  // As llama.cpp, for files without the key: the first 20 have their own.
  const int64_t shared = std::max(to.num_layers() - 20, int64_t{0});
  config["num_kv_shared_layers"] = to.keys.integer("attention.shared_kv_layers").value_or(shared);
  to.copy_integer("altup.num_inputs", "altup_num_inputs");
  to.copy_integer("altup.active_idx", "altup_active_idx");
  config["altup_correct_scale"] = true;
  const TensorInfo* const low_rank = to.weights.find("blk.0.laurel_l.weight");
  if (low_rank != nullptr && low_rank->shape.size() == 2) {
    config["laurel_rank"] = low_rank->shape[0];
  }
  config["final_logit_softcapping"] = nullptr;
  to.copy_number("final_logit_softcapping", "final_logit_softcapping");
  add_gate_thresholds(to);
  add_per_layer_embeddings(to);
}

}  // namespace quire
