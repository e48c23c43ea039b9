#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/models/gguf_translation.h"

namespace quire {
namespace {

using nlohmann::json;

constexpr char kKvHeads[] = "attention.head_count_kv";
constexpr char kRecurrentLayers[] = "attention.recurrent_layers";
constexpr char kInnerSize[] = "ssm.inner_size";
constexpr char kHeads[] = "ssm.time_step_rank";
constexpr char kRemedy[] = "; choose another conversion of the model";

/// The first layer of that type, or -1.
int64_t first_layer(const GgufTranslation& to, const std::string& type) {
  const json types = to.config.value("layer_types", json::array());
  const auto found = std::find(types.begin(), types.end(), json(type));
  return found == types.end() ? -1 : found - types.begin();
}

/// `list` has an entry for each layer, those for speculation included. Biases are those of the
/// layers that attend.
void set_layer_types(GgufTranslation& to, const std::vector<int64_t>& list, const char* recurrent,
                     bool (*is_recurrent)(int64_t entry)) {
  const auto count = static_cast<size_t>(
      std::clamp(to.config.value("num_hidden_layers", int64_t{0}), int64_t{0}, int64_t{4096}));
  json types = json::array();
  for (size_t i = 0; i < std::min(count, list.size()); ++i) {
    types.push_back(is_recurrent(list[i]) ? recurrent : "full_attention");
  }
  to.config["layer_types"] = std::move(types);
  const int64_t attends = first_layer(to, "full_attention");
  to.config["attention_bias"] = attends >= 0 && to.has_tensor(attends, "attn_q.bias");
}

/// A layer without keys is recurrent.
void set_layer_types_by_keys(GgufTranslation& to, const char* recurrent) {
  std::vector<int64_t> heads = to.keys.per_layer(kKvHeads);
  // A single number is that of all layers.
  if (heads.empty()) heads.assign(4096, 1);
  set_layer_types(to, heads, recurrent, [](int64_t entry) { return entry == 0; });
}

/// llama.cpp reads a window for some of these; published files have none.
void refuse_window(GgufTranslation& to) {
  if (to.config["sliding_window"].is_null()) return;
  to.keys.refuse("attention.sliding_window", to.config["sliding_window"].dump(),
                 "of this kind without a window");
}

}  // namespace

void add_delta_net(GgufTranslation& to) {
  GgufKeys& keys = to.keys;
  json& config = to.config;
  refuse_window(to);
  config["linear_conv_kernel_dim"] = keys.required_integer("ssm.conv_kernel");
  config["linear_key_head_dim"] = keys.required_integer("ssm.state_size");
  config["linear_num_key_heads"] = keys.required_integer("ssm.group_count");
  const int64_t heads = keys.required_integer(kHeads), inner = keys.required_integer(kInnerSize);
  config["linear_num_value_heads"] = heads;
  if (heads < 1 || inner % heads != 0) {
    keys.fail(ErrorCode::kCorruptFile, keys.key(kInnerSize) + " is " + std::to_string(inner) +
                                           ", which " + keys.key(kHeads) + ", " +
                                           std::to_string(heads) + ", does not divide" + kRemedy);
    return;
  }
  config["linear_value_head_dim"] = inner / heads;
  to.copy_integer("full_attention_interval", "full_attention_interval");
  const std::vector<int64_t> recurrent = keys.per_layer(kRecurrentLayers);
  if (recurrent.empty()) return;
  set_layer_types(to, recurrent, "linear_attention", [](int64_t entry) { return entry != 0; });
}

void add_short_convolutions(GgufTranslation& to) {
  refuse_window(to);
  to.config["conv_L_cache"] = to.keys.required_integer("shortconv.l_cache");
  to.config["block_auto_adjust_ff_dim"] = false;  // feed_forward_length is adjusted.
  set_layer_types_by_keys(to, "conv");
}

void add_scan(GgufTranslation& to) {
  GgufKeys& keys = to.keys;
  json& config = to.config;
  refuse_window(to);
  config["mamba_d_conv"] = keys.required_integer("ssm.conv_kernel");
  config["mamba_d_state"] = keys.required_integer("ssm.state_size");
  config["mamba_n_groups"] = keys.required_integer("ssm.group_count");
  config["mamba_n_heads"] = keys.required_integer(kHeads);
  const int64_t inner = keys.required_integer(kInnerSize);
  const auto hidden = config.value("hidden_size", int64_t{0});
  if (hidden < 1 || inner % hidden != 0) {
    keys.fail(ErrorCode::kCorruptFile, keys.key(kInnerSize) + " is " + std::to_string(inner) +
                                           ", which " + keys.key("embedding_length") + ", " +
                                           std::to_string(hidden) + ", does not divide" + kRemedy);
    return;
  }
  config["mamba_expand"] = inner / hidden;
  set_layer_types_by_keys(to, "mamba");
  const int64_t scans = first_layer(to, "mamba");
  config["mamba_conv_bias"] = scans >= 0 && to.has_tensor(scans, "ssm_conv1d.bias");
}

}  // namespace quire
