#include "engine/models/gguf_config.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "engine/io/text.h"
#include "engine/models/architectures/architecture.h"
#include "engine/models/gguf_keys.h"
#include "engine/models/json_config.h"

namespace quire {
namespace {

using nlohmann::json;

/// The translation of a file's metadata to config.json's fields.
struct Translation {
  const GgufWeights& weights;
  const GgufFile& file;
  GgufKeys keys;
  json config = json::object();

  explicit Translation(const GgufWeights& source)
      : weights(source), file(source.metadata()), keys(file) {}

  bool is(std::string_view architecture) const { return keys.architecture() == architecture; }
  bool has_tensor(int64_t layer, const char* name) const {
    return weights.find("blk." + std::to_string(layer) + "." + name) != nullptr;
  }
  /// Keys that mean the same in both formats; absent ones stay absent.
  void copy_number(const char* key, const char* field) {
    if (const auto value = keys.number(key)) config[field] = *value;
  }
  void copy_integer(const char* key, const char* field) {
    if (const auto value = keys.same_in_all_layers(key)) config[field] = *value;
  }
};

/// The rows of the embedding; without one, the length of the list of tokens.
void add_vocabulary(Translation& to) {
  if (const TensorInfo* embedding = to.weights.find("token_embd.weight");
      embedding != nullptr && embedding->shape.size() == 2) {
    to.config["vocab_size"] = embedding->shape[0];
  } else if (const uint64_t tokens = to.file.array_size("tokenizer.ggml.tokens"); tokens > 0) {
    to.config["vocab_size"] = tokens;
  } else {
    to.copy_integer("vocab_size", "vocab_size");
  }
}

void add_sizes(Translation& to) {
  GgufKeys& keys = to.keys;
  json& config = to.config;
  config["num_hidden_layers"] = keys.required_integer("block_count");
  config["hidden_size"] = keys.required_integer("embedding_length");
  config["max_position_embeddings"] = keys.required_integer("context_length");
  config["rms_norm_eps"] = keys.required_number("attention.layer_norm_rms_epsilon");
  const int64_t heads = keys.required_integer("attention.head_count");
  config["num_attention_heads"] = heads;
  config["num_key_value_heads"] =
      keys.same_in_all_layers("attention.head_count_kv").value_or(heads);
  const auto head_dim = keys.same_in_all_layers("attention.key_length");
  const auto value_dim = keys.same_in_all_layers("attention.value_length");
  if (head_dim) config["head_dim"] = *head_dim;
  if (!head_dim) config["head_dim"] = nullptr;  // Says that it follows from the sizes above.
  if (value_dim && head_dim && *value_dim != *head_dim) {
    keys.fail(ErrorCode::kUnsupported,
              "attention.value_length is " + std::to_string(*value_dim) +
                  " and attention.key_length is " + std::to_string(*head_dim) +
                  "; Quire runs models whose keys and values are equally long");
  }
  to.copy_integer("feed_forward_length", "intermediate_size");
  config["tie_word_embeddings"] = to.weights.find("output.weight") == nullptr;
  config["attention_bias"] = to.has_tensor(0, "attn_q.bias") || to.has_tensor(0, "attn_qkv.bias");
  config["mlp_bias"] = to.has_tensor(0, "ffn_up.bias");
  add_vocabulary(to);
}

/// Adds a token's id if the vocabulary has it.
void add_token(const Translation& to, const char* key, json& list) {
  const auto id = to.file.integer(std::string("tokenizer.ggml.") + key);
  const int64_t vocab_size = to.config.value("vocab_size", int64_t{0});
  if (id && *id >= 0 && *id < vocab_size) list.push_back(*id);
}

void add_tokens(Translation& to) {
  json ends = json::array();
  for (const char* key : {"eos_token_id", "eot_token_id", "eom_token_id"}) add_token(to, key, ends);
  if (!ends.empty()) to.config["eos_token_id"] = std::move(ends);
  json begin = json::array();
  add_token(to, "bos_token_id", begin);
  if (!begin.empty()) to.config["bos_token_id"] = begin[0];
}

/// The window and its layers: those of a list, or all but every nth. Qwen's files may have a
/// window, which llama.cpp ignores. So does Quire: qwen2, qwen3 and qwen3moe read a window only
/// with use_sliding_window, which GGUF lacks.
void add_window(Translation& to) {
  constexpr char kPattern[] = "attention.sliding_window_pattern";
  json& config = to.config;
  // These two have a default window, as in config.json.
  const bool has_default = to.is("gemma2") || to.is("gpt-oss");
  if (has_default && !to.keys.has("attention.sliding_window")) return;
  const int64_t window = to.keys.integer("attention.sliding_window").value_or(0);
  config["sliding_window"] = window > 0 ? json(window) : json(nullptr);
  const int64_t num_layers = config.value("num_hidden_layers", int64_t{0});
  std::vector<int64_t> is_sliding = to.keys.integers(kPattern);
  const bool is_list = !is_sliding.empty();
  const int64_t period = is_list ? 0 : to.keys.integer(kPattern).value_or(0);
  if (window <= 0 || !to.keys.has(kPattern) || num_layers > 4096) return;
  json types = json::array();
  for (int64_t i = 0; i < num_layers; ++i) {
    const bool listed = i < static_cast<int64_t>(is_sliding.size()) && is_sliding[i] != 0;
    const bool periodic = period <= 0 || i % period < period - 1;
    types.push_back((is_list ? listed : periodic) ? "sliding_attention" : "full_attention");
  }
  config["layer_types"] = std::move(types);
}

/// The head dimension by the known sizes; 0 if they contradict each other.
int64_t head_dim(const json& config) {
  if (config["head_dim"].is_number()) return config["head_dim"].get<int64_t>();
  const auto heads = config.value("num_attention_heads", int64_t{0});
  return heads > 0 ? config.value("hidden_size", int64_t{0}) / heads : 0;
}

void refuse(GgufKeys& keys, const char* key, const std::string& value, const char* what) {
  keys.fail(ErrorCode::kUnsupported,
            keys.key(key) + " is " + value + "; Quire runs models " + what);
}

/// Refuses metadata that would change the answers if it were ignored.
void refuse_unsupported(Translation& to) {
  if (!to.keys.boolean("attention.causal").value_or(true)) {
    refuse(to.keys, "attention.causal", "false", "that write text");
  }
  const double scale = to.keys.number("expert_weights_scale").value_or(1.0);
  if (scale != 0.0 && scale != 1.0) {
    refuse(to.keys, "expert_weights_scale", std::to_string(scale),
           "that do not scale their experts");
  }
  // 1: softmax over all experts; 3 (gpt-oss): softmax over the chosen ones; 0: unspecified.
  const int64_t gating = to.keys.integer("expert_gating_func").value_or(0);
  if (gating != 0 && gating != (to.is("gpt-oss") ? 3 : 1)) {
    refuse(to.keys, "expert_gating_func", std::to_string(gating),
           "that choose experts by a softmax");
  }
}

constexpr char kLongFactors[] = "rope_factors_long.weight";

void copy_rope_number(GgufKeys& keys, const char* key, json& rope, const char* field) {
  if (const auto value = keys.number(key)) rope[field] = *value;
}

void add_yarn(GgufKeys& keys, json& rope) {
  copy_rope_number(keys, "rope.scaling.factor", rope, "factor");
  copy_rope_number(keys, "rope.scaling.yarn_attn_factor", rope, "attention_factor");
  copy_rope_number(keys, "rope.scaling.yarn_beta_fast", rope, "beta_fast");
  copy_rope_number(keys, "rope.scaling.yarn_beta_slow", rope, "beta_slow");
  // From transformers' gpt-oss; the files lack it.
  if (keys.architecture() == "gpt-oss") rope["truncate"] = false;
  if (keys.architecture() != "mistral3") return;
  copy_rope_number(keys, "rope.scaling.yarn_log_multiplier", rope, "mscale");
  copy_rope_number(keys, "rope.scaling.yarn_log_multiplier", rope, "mscale_all_dim");
  copy_rope_number(keys, "attention.temperature_scale", rope, "llama_4_scaling_beta");
}

/// The kind of scaling; Phi-3 is recognised by its tensors.
std::string scaling_kind(GgufKeys& keys, const GgufWeights& weights) {
  if (weights.find(kLongFactors) != nullptr) return "longrope";
  if (const auto kind = keys.string("rope.scaling.type")) return std::string(*kind);
  // As llama.cpp reads a factor without a type; scale_linear is older than types.
  const bool has_factor = keys.has("rope.scaling.factor") || keys.has("rope.scale_linear");
  return has_factor ? "linear" : "none";
}

/// How much of YaRN's ramp is applied: only all or nothing is supported, which is llama.cpp's
/// default (also for a negative number).
void check_yarn_ext_factor(GgufKeys& keys, const std::string& kind) {
  const auto factor = keys.number("rope.scaling.yarn_ext_factor");
  if (!factor || *factor < 0.0 || *factor == (kind == "yarn" ? 1.0 : 0.0)) return;
  refuse(keys, "rope.scaling.yarn_ext_factor", std::to_string(*factor), "that leave it out");
}

json scaling(GgufKeys& keys, const GgufWeights& weights) {
  const std::string kind = scaling_kind(keys, weights);
  json rope = json::object();
  check_yarn_ext_factor(keys, kind);
  if (kind == "none") return rope;
  rope["rope_type"] = kind;
  if (kind == "yarn") {
    add_yarn(keys, rope);
  } else if (kind == "linear") {
    rope["factor"] = 1.0;
    copy_rope_number(keys, "rope.scale_linear", rope, "factor");
    copy_rope_number(keys, "rope.scaling.factor", rope, "factor");
    if (rope["factor"] == 0.0) rope["factor"] = 1.0;  // llama.cpp's spelling of "none".
    return rope;
  } else if (kind == "longrope") {
    copy_rope_number(keys, "rope.scaling.attn_factor", rope, "attention_factor");
  }
  if (const auto original = keys.integer("rope.scaling.original_context_length")) {
    rope["original_max_position_embeddings"] = *original;
  }
  return rope;
}

/// Adds the file's description of rotations as config.json's fields. Errors stay in the keys.
void add_gguf_rope(GgufKeys& keys, const GgufWeights& weights, json& config) {
  json rope = scaling(keys, weights);
  rope["rope_theta"] = keys.number("rope.freq_base").value_or(10000.0);
  const int64_t dim = head_dim(config);
  const auto rotated = keys.integer("rope.dimension_count");
  if (rotated && dim > 0 && *rotated != dim) {
    // A little more, so that the product with head_dim does not round down to one less.
    rope["partial_rotary_factor"] =
        (static_cast<double>(*rotated) + 1e-6) / static_cast<double>(dim);
  }
  // Of the supported architectures, only Gemma 3's local layers have their own base.
  if (keys.architecture() == "gemma3") {
    config["rope_local_base_freq"] = keys.number("rope.freq_base_swa").value_or(10000.0);
  }
  config["rope_parameters"] = std::move(rope);
}

void add_experts(Translation& to, const char* count_field, const char* size_field) {
  to.copy_integer("expert_count", count_field);
  to.copy_integer("expert_used_count", "num_experts_per_tok");
  to.copy_integer("expert_feed_forward_length", size_field);
}

/// Mistral and Mixtral are stored as Llama and recognised by their additional keys.
void add_llama(Translation& to) {
  const int64_t experts = to.keys.integer("expert_count").value_or(0);
  if (experts > 0) add_experts(to, "num_local_experts", "intermediate_size");
  if (to.config["sliding_window"].is_null()) return;
  to.config["architectures"] = {experts > 0 ? "mixtral" : "mistral"};
}

/// The files lack the scale of queries: the largest model of each family (46 or 62 layers) scales
/// by hidden_size / num_heads, the others by their head_dim.
void add_gemma(Translation& to, int64_t layers_of_largest) {
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

void add_gemma3(Translation& to) {
  add_gemma(to, 62);
  // Without a window all layers are global, and none rotates as local ones do.
  if (to.config["sliding_window"].is_null()) to.config["sliding_window_pattern"] = 1;
}

void add_granite(Translation& to) {
  to.copy_number("embedding_scale", "embedding_multiplier");
  to.copy_number("residual_scale", "residual_multiplier");
  to.copy_number("logit_scale", "logits_scaling");
  if (const auto scale = to.keys.number("attention.scale"); scale && *scale != 0.0) {
    to.config["attention_multiplier"] = *scale;
  } else if (const int64_t size = head_dim(to.config); size > 0) {
    // As llama.cpp, not the 1 of transformers.
    to.config["attention_multiplier"] = 1.0 / std::sqrt(static_cast<double>(size));
  }
  // llama.cpp turns rotations off in Granite 4 by this key.
  if (!to.keys.boolean("rope.scaling.finetuned").value_or(true)) {
    to.keys.fail(ErrorCode::kUnsupported,
                 "granite.rope.scaling.finetuned is false, which makes this a Granite whose layers "
                 "do not rotate; Quire runs those that do");
  }
}

void add_qwen3_moe(Translation& to) {
  add_experts(to, "num_experts", "moe_intermediate_size");
  // llama.cpp always normalises the weights of the selected experts.
  to.config["norm_topk_prob"] = true;
  json dense = json::array();
  const int64_t layers = std::min(to.config.value("num_hidden_layers", int64_t{0}), int64_t{4096});
  for (int64_t i = 0; i < layers; ++i) {
    if (!to.has_tensor(i, "ffn_gate_inp.weight")) dense.push_back(i);
  }
  to.config["mlp_only_layers"] = std::move(dense);
  if (!to.config.contains("intermediate_size")) {
    to.copy_integer("expert_feed_forward_length", "intermediate_size");
  }
}

/// OLMo 3 is stored as OLMo 2, but some of its layers have a window.
void refuse_olmo3(Translation& to) {
  if (to.config["sliding_window"].is_null()) return;
  to.keys.fail(ErrorCode::kUnsupported,
               "olmo2.attention.sliding_window is set, which makes this OLMo 3; Quire runs OLMo 2");
}

void add_architecture_fields(Translation& to) {
  if (to.is("llama")) return add_llama(to);
  if (to.is("gemma2")) return add_gemma(to, 46);
  if (to.is("gemma3")) return add_gemma3(to);
  if (to.is("granite")) return add_granite(to);
  if (to.is("qwen3moe")) return add_qwen3_moe(to);
  if (to.is("olmo2")) return refuse_olmo3(to);
  if (to.is("gpt-oss")) add_experts(to, "num_local_experts", "intermediate_size");
}

/// general.sampling corresponds to generation_config.json; values out of range are ignored.
void add_sampling_defaults(const GgufFile& file, ModelConfig& config) {
  const auto in = [](std::optional<double> value, double max) {
    return value && *value >= 0.0 && *value <= max ? static_cast<float>(*value) : -1.0f;
  };
  config.default_temperature = in(file.number("general.sampling.temp"), 100.0);
  config.default_top_p = in(file.number("general.sampling.top_p"), 1.0);
  config.default_top_k = static_cast<int>(in(file.number("general.sampling.top_k"), 1 << 24));
}

}  // namespace

Result<json> gguf_config_json(const GgufWeights& weights) {
  Translation to(weights);
  if (to.keys.error()) return *to.keys.error();
  to.config["architectures"] = {to.keys.architecture()};
  // A model of an unsupported architecture may lack any key; the error is about its name.
  const Architecture* const architecture = find_architecture(to.keys.architecture());
  if (architecture == nullptr) return std::move(to.config);
  if (!architecture->reads_gguf) {
    to.keys.fail(ErrorCode::kUnsupported,
                 "Quire runs " + to.keys.architecture() +
                     " from a Hugging Face folder; it does not read this architecture from GGUF "
                     "files yet");
    return *to.keys.error();
  }
  add_sizes(to);
  add_tokens(to);
  add_window(to);
  add_architecture_fields(to);
  refuse_unsupported(to);
  add_gguf_rope(to.keys, weights, to.config);
  if (to.keys.error()) return *to.keys.error();
  return std::move(to.config);
}

Result<ModelConfig> read_gguf_config(const GgufWeights& weights) {
  auto object = gguf_config_json(weights);
  if (!object) return object.error();
  const GgufFile& file = weights.metadata();
  auto config = build_model_config(*object, file.path().filename().string());
  if (!config) return with_gguf_key(config.error(), GgufKeys(file));
  add_sampling_defaults(file, *config);
  config->name = for_message(file.string("general.name").value_or(""));
  if (config->name.empty()) config->name = file.path().stem().string();
  return config;
}

}  // namespace quire
