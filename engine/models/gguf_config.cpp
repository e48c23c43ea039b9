#include "engine/models/gguf_config.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "engine/io/text.h"
#include "engine/models/architectures/architecture.h"
#include "engine/models/gguf_translation.h"
#include "engine/models/json_config.h"

namespace quire {
namespace {

using nlohmann::json;

constexpr char kRmsNormEps[] = "attention.layer_norm_rms_epsilon";
constexpr char kLayerNormEps[] = "attention.layer_norm_epsilon";

/// Whether the architecture's files give the epsilon of LayerNorm; some give RMSNorm's, too.
bool has_layer_norm(std::string_view architecture) {
  constexpr std::string_view kNames[] = {"cohere2", "gpt2",     "gptneox",
                                         "phi2",    "stablelm", "starcoder2"};
  return std::ranges::find(kNames, architecture) != std::end(kNames);
}

/// Converters of Nemotron-H write RMSNorm's epsilon as LayerNorm's if config.json calls it so.
const char* epsilon_key(const GgufKeys& keys) {
  const bool is_nemotron = keys.architecture().starts_with("nemotron_h");
  const bool has_other = has_layer_norm(keys.architecture());
  return has_other || (is_nemotron && !keys.has(kRmsNormEps)) ? kLayerNormEps : kRmsNormEps;
}

/// The rows of the embedding; without one, the length of the list of tokens.
void add_vocabulary(GgufTranslation& to) {
  if (const TensorInfo* embedding = to.weights.find("token_embd.weight");
      embedding != nullptr && embedding->shape.size() == 2) {
    to.config["vocab_size"] = embedding->shape[0];
  } else if (const uint64_t tokens = to.file.array_size("tokenizer.ggml.tokens"); tokens > 0) {
    to.config["vocab_size"] = tokens;
  } else {
    to.copy_integer("vocab_size", "vocab_size");
  }
}

/// block_count includes the layers for speculation.
void add_layers(GgufTranslation& to) {
  const int64_t all = to.keys.required_integer("block_count");
  const int64_t speculative = to.keys.integer("nextn_predict_layers").value_or(0);
  if (speculative < 0 || (speculative > 0 && speculative >= all)) {
    to.keys.fail(ErrorCode::kCorruptFile, to.keys.key("nextn_predict_layers") + " is " +
                                              std::to_string(speculative) +
                                              ", which leaves none of the " + std::to_string(all) +
                                              " layers; choose another conversion of the model");
    return;
  }
  to.config["num_hidden_layers"] = all - speculative;
  to.config["num_nextn_predict_layers"] = speculative;
}

/// Some hybrids mark layers without keys, or without an MLP, by 0.
std::optional<int64_t> number_of_layers_with(GgufKeys& keys, const char* key) {
  for (const char* name : {"granitehybrid", "lfm2", "lfm2moe", "nemotron_h", "nemotron_h_moe"}) {
    if (keys.architecture() == name) return keys.same_where_not_zero(key);
  }
  return keys.same_in_all_layers(key);
}

/// Of the MLPs, which in some architectures differ by layer.
void add_widths(GgufTranslation& to) {
  constexpr char kKey[] = "feed_forward_length";
  const bool may_differ = to.is("gemma4") || to.is("gemma3n");
  const std::vector<int64_t> list = may_differ ? to.keys.per_layer(kKey) : std::vector<int64_t>();
  if (!list.empty()) {
    to.config["intermediate_size"] = list;
  } else if (const auto width = number_of_layers_with(to.keys, kKey)) {
    to.config["intermediate_size"] = *width;
  }
}

void add_sizes(GgufTranslation& to) {
  GgufKeys& keys = to.keys;
  json& config = to.config;
  add_layers(to);
  config["hidden_size"] = keys.required_integer("embedding_length");
  config["max_position_embeddings"] = keys.required_integer("context_length");
  config["rms_norm_eps"] = keys.required_number(epsilon_key(keys));
  const int64_t heads = keys.required_integer("attention.head_count");
  config["num_attention_heads"] = heads;
  const auto kv_heads = keys.architecture() == "gemma4"
                            ? gemma_kv_heads(keys)
                            : number_of_layers_with(keys, "attention.head_count_kv");
  config["num_key_value_heads"] = kv_heads.value_or(heads);
  const auto head_dim = keys.same_in_all_layers("attention.key_length");
  const auto value_dim = keys.same_in_all_layers("attention.value_length");
  if (head_dim) config["head_dim"] = *head_dim;
  if (!head_dim) config["head_dim"] = nullptr;  // Says that it follows from the sizes above.
  const bool has_latents = keys.has("attention.kv_lora_rank");
  if (value_dim && head_dim && *value_dim != *head_dim && !has_latents) {
    keys.fail(ErrorCode::kUnsupported,
              "attention.value_length is " + std::to_string(*value_dim) +
                  " and attention.key_length is " + std::to_string(*head_dim) +
                  "; Quire runs models whose keys and values are equally long");
  }
  add_widths(to);
  config["tie_word_embeddings"] = to.weights.find("output.weight") == nullptr;
  config["attention_bias"] = to.has_tensor(0, "attn_q.bias") || to.has_tensor(0, "attn_qkv.bias");
  config["mlp_bias"] = to.has_tensor(0, "ffn_up.bias");
  add_vocabulary(to);
}

/// Adds a token's id if the vocabulary has it.
void add_token(const GgufTranslation& to, const char* key, json& list) {
  const auto id = to.file.integer(std::string("tokenizer.ggml.") + key);
  const int64_t vocab_size = to.config.value("vocab_size", int64_t{0});
  if (id && *id >= 0 && *id < vocab_size) list.push_back(*id);
}

void add_tokens(GgufTranslation& to) {
  json ends = json::array();
  for (const char* key : {"eos_token_id", "eot_token_id", "eom_token_id"}) add_token(to, key, ends);
  if (!ends.empty()) to.config["eos_token_id"] = std::move(ends);
  json begin = json::array();
  add_token(to, "bos_token_id", begin);
  if (!begin.empty()) to.config["bos_token_id"] = begin[0];
}

constexpr char kWindow[] = "attention.sliding_window";
constexpr char kPattern[] = "attention.sliding_window_pattern";

/// The period of windows in files without a pattern, as llama.cpp has it; 0: the reader's default.
int64_t default_period(const GgufTranslation& to) {
  for (const char* name : {"cohere2", "exaone4", "muse-glimmer", "olmo2"}) {
    if (to.is(name)) return 4;
  }
  return 0;
}

/// 0 means that there is none. Old files of EXAONE 4 32B lack it.
int64_t window_of(GgufTranslation& to) {
  const bool is_exaone_32b = to.is("exaone4") && to.config["num_hidden_layers"] == 64;
  return to.keys.integer(kWindow).value_or(is_exaone_32b ? 4096 : 0);
}

/// The window and its layers: those of a list, or all but every nth. Qwen's files may have a
/// window, which llama.cpp ignores. So does Quire: qwen2, qwen3 and qwen3moe read a window only
/// with use_sliding_window, which GGUF lacks.
void add_window(GgufTranslation& to) {
  json& config = to.config;
  // These two have a default window, as in config.json.
  const bool has_default = to.is("gemma2") || to.is("gpt-oss");
  if (has_default && !to.keys.has(kWindow)) return;
  const int64_t window = window_of(to);
  config["sliding_window"] = window > 0 ? json(window) : json(nullptr);
  const int64_t num_layers = config.value("num_hidden_layers", int64_t{0});
  const std::vector<int64_t> is_sliding = to.keys.per_layer(kPattern);
  const bool is_list = !is_sliding.empty();
  const int64_t period = is_list ? 0 : to.keys.integer(kPattern).value_or(default_period(to));
  const bool has_pattern = to.keys.has(kPattern) || default_period(to) > 0;
  if (window <= 0 || !has_pattern || num_layers > 4096) return;
  json types = json::array();
  for (int64_t i = 0; i < num_layers; ++i) {
    const bool listed = i < static_cast<int64_t>(is_sliding.size()) && is_sliding[i] != 0;
    const bool periodic = period <= 0 || i % period < period - 1;
    types.push_back((is_list ? listed : periodic) ? "sliding_attention" : "full_attention");
  }
  config["layer_types"] = std::move(types);
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
  const bool has_latents = keys.architecture() == "deepseek2" || keys.architecture() == "mistral4";
  // Converters of DeepSeek multiply it by 0.1; of its two mscales they keep mscale_all_dim.
  if (const auto mscale = keys.number("rope.scaling.yarn_log_multiplier"); mscale && has_latents) {
    rope["mscale"] = rope["mscale_all_dim"] = *mscale / 0.1;
  }
  copy_rope_number(keys, "attention.temperature_scale", rope, "llama_4_scaling_beta");
  // That of the published models: the converter leaves it out.
  if (keys.architecture() == "mistral4" && !rope.contains("llama_4_scaling_beta")) {
    rope["llama_4_scaling_beta"] = 0.1;
  }
  const auto length = keys.integer("attention.temperature_length");
  if (length && length != keys.integer("rope.scaling.original_context_length")) {
    keys.refuse("attention.temperature_length", std::to_string(*length),
                "where it is the original context");
  }
  // From transformers' gpt-oss; the files lack it.
  if (keys.architecture() == "gpt-oss") rope["truncate"] = false;
  if (keys.architecture() != "mistral3") return;
  copy_rope_number(keys, "rope.scaling.yarn_log_multiplier", rope, "mscale");
  copy_rope_number(keys, "rope.scaling.yarn_log_multiplier", rope, "mscale_all_dim");
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
  keys.refuse("rope.scaling.yarn_ext_factor", std::to_string(*factor), "that leave it out");
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
  config["rope_theta"] = rope["rope_theta"];  // Of OLMo 3's local layers, too.
  const int64_t dim = config.contains("global_head_dim")
                          ? config.value("global_head_dim", int64_t{0})
                          : gguf_head_dim(config);
  const auto rotated = keys.integer("rope.dimension_count");
  rope["partial_rotary_factor"] = 1.0;  // Some architectures have another default.
  // Nemotron-H's files have a number, but none of its layers rotates.
  const bool rotates = !keys.architecture().starts_with("nemotron_h");
  if (rotates && rotated && dim > 0 && *rotated != dim) {
    // A little more, so that the product with head_dim does not round down to one less.
    rope["partial_rotary_factor"] =
        (static_cast<double>(*rotated) + 1e-6) / static_cast<double>(dim);
  }
  // Of the supported architectures, only Gemma's local layers have their own base.
  const auto local = keys.number("rope.freq_base_swa");
  if (keys.architecture().starts_with("gemma") && keys.architecture() != "gemma2") {
    config["rope_local_base_freq"] = local.value_or(10000.0);
  } else if (local && *local != rope["rope_theta"]) {
    keys.refuse("rope.freq_base_swa", std::to_string(*local),
                "whose layers all rotate by " + keys.key("rope.freq_base"));
  }
  const std::vector<int64_t> sections = keys.integers("rope.dimension_sections");
  // Qwen 3.5 numbers the tokens of a text as others do, the same in all sections.
  const bool is_text = keys.architecture() == "qwen35" || keys.architecture() == "qwen35moe";
  if (!is_text && std::ranges::any_of(sections, [](int64_t size) { return size != 0; })) {
    keys.refuse("rope.dimension_sections", "a list of sections",
                "whose positions are single numbers");
  }
  config["rope_parameters"] = std::move(rope);
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
  GgufTranslation to(weights);
  if (to.keys.error()) return *to.keys.error();
  to.config["architectures"] = {to.keys.architecture()};
  // A model of an unsupported architecture may lack any key; the error is about its name.
  const Architecture* const architecture = find_architecture(to.keys.architecture());
  if (architecture == nullptr) return std::move(to.config);
  if (!architecture->has_gguf_layout) {
    to.keys.fail(ErrorCode::kUnsupported,
                 "GGUF has no layout for " + to.keys.architecture() +
                     " that Quire knows; choose the model's Hugging Face folder");
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
  config->recurrent.tiled_heads = find_architecture(config->architecture)->tiles_heads_in_gguf;
  add_sampling_defaults(file, *config);
  config->name = for_message(file.string("general.name").value_or(""));
  if (config->name.empty()) config->name = file.path().stem().string();
  return config;
}

}  // namespace quire
