#include "engine/models/gguf_rope.h"

#include <nlohmann/json.hpp>
#include <string>

namespace quire {
namespace {

using nlohmann::json;

constexpr char kLongFactors[] = "rope_factors_long.weight";

void copy(GgufKeys& keys, const char* key, json& rope, const char* field) {
  if (const auto value = keys.number(key)) rope[field] = *value;
}

void add_yarn(GgufKeys& keys, json& rope) {
  copy(keys, "rope.scaling.factor", rope, "factor");
  copy(keys, "rope.scaling.yarn_attn_factor", rope, "attention_factor");
  copy(keys, "rope.scaling.yarn_beta_fast", rope, "beta_fast");
  copy(keys, "rope.scaling.yarn_beta_slow", rope, "beta_slow");
  // What transformers' gpt-oss says and no file does.
  if (keys.architecture() == "gpt-oss") rope["truncate"] = false;
  if (keys.architecture() != "mistral3") return;
  copy(keys, "rope.scaling.yarn_log_multiplier", rope, "mscale");
  copy(keys, "rope.scaling.yarn_log_multiplier", rope, "mscale_all_dim");
  copy(keys, "attention.temperature_scale", rope, "llama_4_scaling_beta");
}

/// The kind of scaling that the keys name; Phi-3 is known by its tensors.
std::string scaling_kind(GgufKeys& keys, const GgufWeights& weights) {
  if (weights.find(kLongFactors) != nullptr) return "longrope";
  if (const auto kind = keys.string("rope.scaling.type")) return std::string(*kind);
  // As llama.cpp takes a factor without a type; scale_linear is of before there were types.
  const bool has_factor = keys.has("rope.scaling.factor") || keys.has("rope.scale_linear");
  return has_factor ? "linear" : "none";
}

/// How much of YaRN's ramp is mixed in: all or nothing by the kind, as llama.cpp does where a file
/// does not say (or says so with a negative number).
void check_yarn_ext_factor(GgufKeys& keys, const std::string& kind) {
  const auto factor = keys.number("rope.scaling.yarn_ext_factor");
  if (!factor || *factor < 0.0 || *factor == (kind == "yarn" ? 1.0 : 0.0)) return;
  keys.fail(ErrorCode::kUnsupported, keys.key("rope.scaling.yarn_ext_factor") + " is " +
                                         std::to_string(*factor) +
                                         "; Quire runs models that leave it out");
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
    copy(keys, "rope.scale_linear", rope, "factor");
    copy(keys, "rope.scaling.factor", rope, "factor");
    if (rope["factor"] == 0.0) rope["factor"] = 1.0;  // So llama.cpp spells "none".
    return rope;
  } else if (kind == "longrope") {
    copy(keys, "rope.scaling.attn_factor", rope, "attention_factor");
  }
  if (const auto original = keys.integer("rope.scaling.original_context_length")) {
    rope["original_max_position_embeddings"] = *original;
  }
  return rope;
}

}  // namespace

void add_gguf_rope(GgufKeys& keys, const GgufWeights& weights, json& config) {
  json rope = scaling(keys, weights);
  rope["rope_theta"] = keys.number("rope.freq_base").value_or(10000.0);
  const auto heads = config.value("num_attention_heads", int64_t{0});
  const auto hidden = config.value("hidden_size", int64_t{0});
  const int64_t head_dim = config["head_dim"].is_number() ? config["head_dim"].get<int64_t>()
                           : heads > 0                    ? hidden / heads
                                                          : 0;
  const auto rotated = keys.integer("rope.dimension_count");
  if (rotated && head_dim > 0 && *rotated != head_dim) {
    // A little more, so that the product with head_dim does not round down to one less.
    rope["partial_rotary_factor"] =
        (static_cast<double>(*rotated) + 1e-6) / static_cast<double>(head_dim);
  }
  // Of the architectures that Quire runs, only Gemma 3's local layers rotate by a base of their
  // own.
  if (keys.architecture() == "gemma3") {
    config["rope_local_base_freq"] = keys.number("rope.freq_base_swa").value_or(10000.0);
  }
  config["rope_parameters"] = std::move(rope);
}

}  // namespace quire
