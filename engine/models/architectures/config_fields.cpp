#include "engine/models/architectures/config_fields.h"

#include <nlohmann/json.hpp>
#include <string>

#include "engine/io/text.h"

namespace quire {
namespace {

using nlohmann::json;

int sliding_window(JsonFields& fields, int fallback) {
  // Null means that there is no window; an absent field means the architecture's default.
  const bool is_null = fields.is_null("sliding_window");
  return static_cast<int>(fields.integer("sliding_window", 0, 1 << 28, is_null ? 0 : fallback));
}

/// Whether each layer is a sliding one by `layer_types`; empty if the file has no such list.
std::vector<bool> listed_sliding(JsonFields& fields, size_t num_layers) {
  const json* list = fields.find("layer_types");
  if (list == nullptr) return {};
  if (!list->is_array() || list->size() != num_layers) {
    fields.fail(ErrorCode::kCorruptFile,
                "layer_types is not a list of " + std::to_string(num_layers) + " names");
    return {};
  }
  std::vector<bool> sliding;
  for (const json& item : *list) {
    const std::string type = item.is_string() ? item.get<std::string>() : item.dump();
    if (type != "sliding_attention" && type != "full_attention") {
      fields.fail(ErrorCode::kUnsupported, "layer_types holds \"" + for_message(type) +
                                               "\"; Quire supports full_attention and "
                                               "sliding_attention");
      return {};
    }
    sliding.push_back(type == "sliding_attention");
  }
  return sliding;
}

}  // namespace

void read_attention_bias(JsonFields& fields, bool fallback, ModelConfig& config) {
  config.qkv_bias = config.output_bias = fields.boolean("attention_bias", fallback);
}

void read_mlp_bias(JsonFields& fields, ModelConfig& config) {
  config.mlp_bias = fields.boolean("mlp_bias", false);
}

void read_window(JsonFields& fields, int fallback, ModelConfig& config) {
  const int window = sliding_window(fields, fallback);
  for (LayerConfig& layer : config.layers) layer.sliding_window = window;
}

void read_layer_types(JsonFields& fields, int fallback_window, bool (*is_sliding)(int layer, int n),
                      int n, ModelConfig& config) {
  const int window = sliding_window(fields, fallback_window);
  const std::vector<bool> listed = listed_sliding(fields, config.layers.size());
  for (size_t i = 0; i < config.layers.size(); ++i) {
    if (listed.empty() ? !is_sliding(static_cast<int>(i), n) : !listed[i]) continue;
    config.layers[i].sliding_window = window;
    if (config.layers[i].rope == 0) config.layers[i].rope = 1;
  }
}

void read_optional_window(JsonFields& fields, ModelConfig& config) {
  if (!fields.boolean("use_sliding_window", false)) return;
  const auto first = static_cast<int>(fields.integer("max_window_layers", 0, 1 << 20, 28));
  read_layer_types(
      fields, 4096, [](int layer, int n) { return layer >= n; }, first, config);
}

void read_activation(JsonFields& fields, const char* key, const char* fallback,
                     ModelConfig& config) {
  const std::string name = fields.string(key, fallback);
  if (name == "silu" || name == "swish") {
    config.glu.kind = GluParams::Kind::kSilu;
  } else if (name == "gelu_pytorch_tanh") {
    config.glu.kind = GluParams::Kind::kGeluTanh;
  } else {
    fields.fail(ErrorCode::kUnsupported, std::string(key) + " is \"" + for_message(name) +
                                             "\"; Quire supports silu and gelu_pytorch_tanh");
  }
}

void read_experts(JsonFields& fields, const ExpertFields& names, ModelConfig& config) {
  const auto integer = [&](const char* name, int64_t max, std::optional<int64_t> fallback = {}) {
    return static_cast<int>(fields.integer(name, 1, max, fallback));
  };
  ExpertsConfig& experts = config.experts;
  experts.num_experts = integer(names.num_experts, 4096);
  experts.experts_per_token =
      integer(names.experts_per_token, 4096, names.default_experts_per_token);
  experts.intermediate_size = integer(names.intermediate_size, 1 << 22);
  if (!fields.error() && experts.experts_per_token > experts.num_experts) {
    fields.fail(ErrorCode::kCorruptFile, std::string(names.experts_per_token) + " is " +
                                             std::to_string(experts.experts_per_token) +
                                             ", more than there are experts, " +
                                             std::to_string(experts.num_experts));
  }
  for (LayerConfig& layer : config.layers) layer.has_experts = true;
}

}  // namespace quire
