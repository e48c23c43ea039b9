#include "engine/models/architectures/recurrent_fields.h"

#include <algorithm>
#include <limits>
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

/// Whether each layer has one of these names in `layer_types`, where the others have one of
/// `other_names`; empty if the file has no such list.
std::vector<bool> listed_layers(JsonFields& fields, size_t num_layers,
                                std::span<const std::string_view> names,
                                std::span<const std::string_view> other_names) {
  const json* list = fields.find("layer_types");
  if (list == nullptr) return {};
  if (!list->is_array() || list->size() != num_layers) {
    fields.fail(ErrorCode::kCorruptFile,
                "layer_types is not a list of " + std::to_string(num_layers) + " names");
    return {};
  }
  std::vector<bool> listed;
  for (const json& item : *list) {
    const std::string type = item.is_string() ? item.get<std::string>() : item.dump();
    listed.push_back(std::ranges::find(names, type) != names.end());
    if (listed.back() || std::ranges::find(other_names, type) != other_names.end()) continue;
    fields.fail(ErrorCode::kUnsupported, "layer_types holds \"" + for_message(type) +
                                             "\"; Quire supports full_attention and " +
                                             std::string(names.front()));
    return {};
  }
  return listed;
}

/// Larger numbers do not fit a float.
constexpr double kMostTimeStep = std::numeric_limits<float>::max();

/// Of two numbers. Infinity, which JSON lacks, is null by here, or an object (transformers 5).
void read_time_step_limit(JsonFields& fields, RecurrentConfig& recurrent) {
  const json* const limit = fields.find("time_step_limit");
  if (limit == nullptr) return;
  static const json kInfinity = {{"__float__", "Infinity"}};
  bool is_pair = limit->is_array() && limit->size() == 2;
  for (size_t i = 0; is_pair && i < 2; ++i) {
    const json& item = (*limit)[i];
    if (item.is_null() || item == kInfinity) continue;
    const double step = item.is_number() ? item.get<double>() : -1.0;
    is_pair = step >= 0.0 && step <= kMostTimeStep;
    if (is_pair) (i == 0 ? recurrent.dt_min : recurrent.dt_max) = static_cast<float>(step);
  }
  if (is_pair && recurrent.dt_min <= recurrent.dt_max) return;
  fields.fail(ErrorCode::kCorruptFile,
              "time_step_limit is not a list of two numbers of at least 0, the larger one last");
}

constexpr std::string_view kSliding[] = {"sliding_attention"};
constexpr std::string_view kFull[] = {"full_attention", "attention"};

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
  const std::vector<bool> listed =
      listed_layers(fields, config.layers.size(), kSliding, std::span(kFull).first(1));
  for (size_t i = 0; i < config.layers.size(); ++i) {
    if (listed.empty() ? !is_sliding(static_cast<int>(i), n) : !listed[i]) continue;
    config.layers[i].sliding_window = window;
    if (config.layers[i].rope == 0) config.layers[i].rope = 1;
  }
}

void read_mixers(JsonFields& fields, MixerKind mixer, std::span<const std::string_view> names,
                 const std::function<bool(int layer)>& is_recurrent, ModelConfig& config) {
  const std::vector<bool> listed = listed_layers(fields, config.layers.size(), names, kFull);
  for (size_t i = 0; i < config.layers.size(); ++i) {
    const bool is_listed = listed.empty() ? is_recurrent(static_cast<int>(i)) : listed[i];
    if (is_listed) config.layers[i].mixer = mixer;
  }
}

void read_short_convolutions(JsonFields& fields, int default_taps, ModelConfig& config) {
  RecurrentConfig& recurrent = config.recurrent;
  recurrent.conv_taps = read_conv_inputs(fields, "conv_L_cache", default_taps);
  recurrent.has_conv_bias = recurrent.has_bias = fields.boolean("conv_bias", false);
}

void refuse_other_than_silu(JsonFields& fields, const char* key) {
  const std::string name = fields.string(key, "silu");
  if (name == "silu" || name == "swish") return;
  fields.fail(ErrorCode::kUnsupported, std::string(key) + " is \"" + for_message(name) +
                                           "\"; Quire supports silu for this architecture");
}

int read_conv_inputs(JsonFields& fields, const char* name, int fallback) {
  // With one input there would be nothing to keep of the tokens before.
  return static_cast<int>(fields.integer(name, 2, kMaxConvInputs, fallback));
}

void read_scan(JsonFields& fields, const ScanSizes& sizes, ModelConfig& config) {
  RecurrentConfig& recurrent = config.recurrent;
  const auto integer = [&](const char* name, int64_t most, int64_t fallback) {
    return static_cast<int>(fields.integer(name, 1, most, fallback));
  };
  recurrent.num_heads = integer("mamba_n_heads", 1 << 14, 128);
  recurrent.num_groups = integer("mamba_n_groups", 1 << 14, sizes.default_groups);
  recurrent.num_norm_groups = recurrent.num_groups;
  recurrent.key_dim = integer("mamba_d_state", 4096, sizes.default_state);
  recurrent.value_dim = static_cast<int>(sizes.inner_size / recurrent.num_heads);
  recurrent.conv_taps = read_conv_inputs(fields, "mamba_d_conv", 4);
  recurrent.has_conv_bias = fields.boolean("mamba_conv_bias", true);
  recurrent.has_bias = fields.boolean("mamba_proj_bias", false);
  read_time_step_limit(fields, recurrent);
  if (recurrent.value_dim >= 1 && sizes.inner_size % recurrent.num_heads == 0 &&
      recurrent.num_heads % recurrent.num_groups == 0) {
    return;
  }
  fields.fail(ErrorCode::kCorruptFile,
              "mamba_n_heads is " + std::to_string(recurrent.num_heads) +
                  ", which must divide the " + std::to_string(sizes.inner_size) +
                  " values of a token and be a multiple of mamba_n_groups");
}

void read_time_step_limit(JsonFields& fields, ModelConfig& config) {
  const json* const limits = fields.find("time_step_limit");
  if (limits == nullptr) return;
  // JSON has no infinity: config.json has become null there, or an object by transformers.
  const auto is_infinite = [](const json& item) {
    return item.is_null() ||
           (item.is_object() && item.contains("__float__") && item["__float__"] == "Infinity");
  };
  bool is_good = limits->is_array() && limits->size() == 2 && (*limits)[0].is_number();
  const double least = is_good ? (*limits)[0].get<double>() : 0.0;
  double most = std::numeric_limits<double>::infinity();
  if (is_good && !is_infinite((*limits)[1])) {
    most = (*limits)[1].is_number() ? (*limits)[1].get<double>() : -1.0;
    is_good = most <= kMostTimeStep;
  }
  if (!is_good || !(least >= 0.0 && least <= most && least <= 1e6)) {
    return fields.fail(ErrorCode::kCorruptFile,
                       "time_step_limit is not a list of two numbers, of which the second is not "
                       "smaller");
  }
  config.recurrent.dt_min = static_cast<float>(least);
  config.recurrent.dt_max = static_cast<float>(most);
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

void read_plain_activation(JsonFields& fields, const char* key, const char* fallback,
                           ModelConfig& config) {
  using Kind = Activation::Kind;
  constexpr std::pair<const char*, Kind> kNames[] = {
      {"relu", Kind::kRelu}, {"relu2", Kind::kSquaredRelu}, {"silu", Kind::kSilu},
      {"gelu", Kind::kGelu}, {"gelu_new", Kind::kGeluTanh}, {"gelu_pytorch_tanh", Kind::kGeluTanh}};
  config.has_gated_mlp = false;
  const std::string name = fields.string(key, fallback);
  for (const auto& [known, kind] : kNames) {
    if (name == known) {
      config.activation.kind = kind;
      return;
    }
  }
  fields.fail(ErrorCode::kUnsupported,
              std::string(key) + " is \"" + for_message(name) +
                  "\"; Quire supports relu, relu2, silu, gelu, gelu_new and gelu_pytorch_tanh");
}

void use_learned_positions(int first_row, ModelConfig& config) {
  config.num_learned_positions = config.max_positions;
  config.first_learned_position = first_row;
  for (LayerConfig& layer : config.layers) layer.rope = -1;
}

void read_sigmoid_routing(JsonFields& fields, ModelConfig& config) {
  ExpertsConfig& experts = config.experts;
  RouteParams& route = experts.route;
  experts.has_choice_bias = true;
  route.scoring = RouteParams::Scoring::kSigmoid;
  route.group_rank = RouteParams::GroupRank::kTwoBest;
  route.renormalize = fields.boolean("norm_topk_prob", true);
  route.scale = static_cast<float>(fields.number("routed_scaling_factor", 0.0, 1e6, 1.0));
  route.num_groups = static_cast<int>(fields.integer("n_group", 1, 4096, 1));
  route.top_groups = static_cast<int>(fields.integer("topk_group", 1, 4096, 1));
  const int size = experts.num_experts / std::max(1, route.num_groups);
  const bool is_possible = experts.num_experts % route.num_groups == 0 &&
                           route.top_groups <= route.num_groups &&
                           experts.experts_per_token <= size * route.top_groups;
  if (fields.error() || is_possible) return;
  fields.fail(ErrorCode::kCorruptFile,
              "n_group is " + std::to_string(route.num_groups) + " and topk_group is " +
                  std::to_string(route.top_groups) + ", which does not fit " +
                  std::to_string(experts.num_experts) + " experts with " +
                  std::to_string(experts.experts_per_token) + " chosen for a token");
}

void read_leading_dense_layers(JsonFields& fields, int fallback, ModelConfig& config) {
  const auto count =
      static_cast<size_t>(fields.integer("first_k_dense_replace", 0, 4096, fallback));
  for (size_t i = 0; i < std::min(count, config.layers.size()); ++i) {
    config.layers[i].has_experts = false;
  }
}

void read_layer_kinds(JsonFields& fields, int fallback, ModelConfig& config) {
  const json* kinds = fields.find("mlp_layer_types");
  if (kinds == nullptr) return read_leading_dense_layers(fields, fallback, config);
  if (!kinds->is_array() || kinds->size() != config.layers.size()) {
    return fields.fail(ErrorCode::kCorruptFile,
                       "mlp_layer_types is not a list with an entry for each layer");
  }
  for (size_t i = 0; i < kinds->size(); ++i) {
    if ((*kinds)[i] == "dense") config.layers[i].has_experts = false;
    if ((*kinds)[i] == "dense" || (*kinds)[i] == "sparse") continue;
    return fields.fail(ErrorCode::kUnsupported,
                       "mlp_layer_types holds something else than dense and sparse");
  }
}

void read_no_rope_layers(JsonFields& fields, ModelConfig& config) {
  const int64_t interval = fields.integer("no_rope_layer_interval", 1, 1 << 20, 4);
  const std::vector<int64_t> rotated = fields.integers("no_rope_layers", 0, 1);
  if (!rotated.empty() && rotated.size() != config.layers.size()) {
    return fields.fail(ErrorCode::kCorruptFile,
                       "no_rope_layers has " + std::to_string(rotated.size()) +
                           " entries; the model has " + std::to_string(config.layers.size()) +
                           " layers");
  }
  for (size_t i = 0; i < config.layers.size(); ++i) {
    const bool is_rotated =
        rotated.empty() ? (static_cast<int64_t>(i) + 1) % interval != 0 : rotated[i] != 0;
    config.layers[i].rope = is_rotated ? 0 : -1;
  }
}

void read_query_scale(JsonFields& fields, int original_context, ModelConfig& config) {
  const json* rope = fields.find("rope_parameters");
  if (rope == nullptr) return;
  JsonFields nested(*rope, fields.where() + ": rope_parameters");
  config.query_scale = {
      .beta = static_cast<float>(nested.number("llama_4_scaling_beta", 0.0, 100.0, 0.0)),
      .interval = static_cast<int>(
          nested.integer("original_max_position_embeddings", 1, 1 << 28, original_context))};
  if (nested.error()) return fields.fail(*nested.error());
  for (LayerConfig& layer : config.layers) layer.scales_queries = config.query_scale.beta > 0.0f;
}

void read_shared_caches(JsonFields& fields, int fallback, ModelConfig& config) {
  const int64_t shared =
      fields.integer("num_kv_shared_layers", 0, int64_t{config.num_layers} - 1, fallback);
  if (fields.error()) return;
  const int first = config.num_layers - static_cast<int>(shared);
  for (int i = first; i < config.num_layers; ++i) {
    LayerConfig& layer = config.layers[static_cast<size_t>(i)];
    int source = first - 1;
    while (source >= 0 && config.layers[static_cast<size_t>(source)].rope != layer.rope) --source;
    layer.cache_layer = source;
    if (source >= 0) continue;
    return fields.fail(ErrorCode::kCorruptFile,
                       "num_kv_shared_layers is " + std::to_string(shared) +
                           ", which leaves no layer before them whose keys layer " +
                           std::to_string(i) + " could read");
  }
}

void read_per_layer_embeddings(JsonFields& fields, ModelConfig& config) {
  constexpr int kMostMissing = 4096;  // Of text's tokens all have a row.
  const bool is_off = fields.is_null("hidden_size_per_layer_input");
  PerLayerConfig& rows = config.per_layer;
  rows.width =
      static_cast<int>(fields.integer("hidden_size_per_layer_input", 0, 4096, is_off ? 0 : 256));
  if (rows.width == 0) return;
  rows.table_rows =
      static_cast<int>(fields.integer("vocab_size_per_layer_input", 1, 1 << 20, 262144));
  if (fields.error() || config.vocab_size - rows.table_rows <= kMostMissing) return;
  fields.fail(ErrorCode::kCorruptFile,
              "vocab_size_per_layer_input is " + std::to_string(rows.table_rows) +
                  ", far fewer than vocab_size, " + std::to_string(config.vocab_size));
}

void read_dense_layers(JsonFields& fields, ModelConfig& config) {
  const int64_t step = fields.integer("decoder_sparse_step", 1, 1 << 20, 1);
  const std::vector<int64_t> dense =
      fields.integers("mlp_only_layers", 0, static_cast<int64_t>(config.layers.size()) - 1);
  for (size_t i = 0; i < config.layers.size(); ++i) {
    const auto index = static_cast<int64_t>(i);
    const bool is_listed = std::find(dense.begin(), dense.end(), index) != dense.end();
    config.layers[i].has_experts = !is_listed && (index + 1) % step == 0;
  }
}

float read_multiplier(JsonFields& fields, const char* name) {
  return static_cast<float>(fields.number(name, kLeastMultiplier, kMostMultiplier, 1.0));
}

void read_expert_sizes(JsonFields& fields, const ExpertFields& names, ModelConfig& config) {
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
}

void read_experts(JsonFields& fields, const ExpertFields& names, ModelConfig& config) {
  read_expert_sizes(fields, names, config);
  for (LayerConfig& layer : config.layers) layer.has_experts = true;
}

void read_shared_experts(JsonFields& fields, const char* name, int64_t fallback,
                         ModelConfig& config) {
  constexpr int64_t kMaxWidth = 1 << 22;
  const int64_t count = fields.integer(name, 0, 4096, fallback);
  const int64_t width = count * config.experts.intermediate_size;
  if (width > kMaxWidth) {
    fields.fail(ErrorCode::kCorruptFile, std::string(name) + " is " + std::to_string(count) +
                                             ", with " + std::to_string(width) +
                                             " columns together; download the model again");
  }
  config.experts.shared_intermediate_size = static_cast<int>(std::min(width, kMaxWidth));
}

}  // namespace quire
