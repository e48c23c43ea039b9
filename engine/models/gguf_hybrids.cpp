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
  json types = json::array();
  const size_t count = std::min(static_cast<size_t>(to.num_layers()), list.size());
  for (size_t i = 0; i < count; ++i) {
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
  if (heads.empty()) heads.assign(GgufTranslation::kMaxLayers, 1);
  set_layer_types(to, heads, recurrent, [](int64_t entry) { return entry == 0; });
}

/// llama.cpp reads a window for some of these; published files have none.
void refuse_window(GgufTranslation& to) {
  if (to.config["sliding_window"].is_null()) return;
  to.keys.refuse("attention.sliding_window", to.config["sliding_window"].dump(),
                 "of this kind without a window");
}

void fail_heads(GgufTranslation& to, int64_t inner, int64_t heads) {
  GgufKeys& keys = to.keys;
  keys.fail(ErrorCode::kCorruptFile, keys.key(kInnerSize) + " is " + std::to_string(inner) +
                                         ", which " + keys.key(kHeads) + ", " +
                                         std::to_string(heads) + ", does not divide" + kRemedy);
}

/// All but the number of values of a token, which is returned.
int64_t add_scan_sizes(GgufTranslation& to) {
  GgufKeys& keys = to.keys;
  json& config = to.config;
  refuse_window(to);
  config["mamba_d_conv"] = keys.required_integer("ssm.conv_kernel");
  config["mamba_d_state"] = keys.required_integer("ssm.state_size");
  config["mamba_n_groups"] = keys.required_integer("ssm.group_count");
  config["mamba_n_heads"] = keys.required_integer(kHeads);
  return keys.required_integer(kInnerSize);
}

/// One number for each of the model's own layers.
std::vector<int64_t> numbers_of_layers(GgufTranslation& to, const char* key) {
  std::vector<int64_t> numbers = to.keys.per_layer(key);
  // A single number is that of all layers.
  numbers.resize(static_cast<size_t>(to.num_layers()),
                 numbers.empty() ? to.keys.integer(key).value_or(0) : 0);
  return numbers;
}

/// Layers of one block, as llama.cpp tells them apart: with keys, with an MLP, or recurrent.
void add_single_blocks(GgufTranslation& to) {
  const std::vector<int64_t> keys = numbers_of_layers(to, kKvHeads);
  const std::vector<int64_t> widths = numbers_of_layers(to, "feed_forward_length");
  const char* const feed_forward = to.is("nemotron_h_moe") ? "moe" : "mlp";
  json types = json::array();
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] != 0 && widths[i] != 0) {
      return to.keys.fail(ErrorCode::kUnsupported,
                          to.keys.key(kKvHeads) + " and " + to.keys.key("feed_forward_length") +
                              " give layer " + std::to_string(i) +
                              " attention and an MLP; Quire runs models of this kind whose layers "
                              "have one of them");
    }
    types.push_back(widths[i] != 0 ? feed_forward : (keys[i] != 0 ? "full_attention" : "mamba"));
  }
  to.config["layer_types"] = std::move(types);
}

/// Whether the first layer of that type has a tensor of that name.
bool has_tensor_of(const GgufTranslation& to, const char* type, const char* name) {
  const int64_t layer = first_layer(to, type);
  return layer >= 0 && to.has_tensor(layer, name);
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
  if (heads < 1 || inner % heads != 0) return fail_heads(to, inner, heads);
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
  const int64_t inner = add_scan_sizes(to);
  const auto hidden = config.value("hidden_size", int64_t{0});
  if (hidden < 1 || inner % hidden != 0) {
    keys.fail(ErrorCode::kCorruptFile, keys.key(kInnerSize) + " is " + std::to_string(inner) +
                                           ", which " + keys.key("embedding_length") + ", " +
                                           std::to_string(hidden) + ", does not divide" + kRemedy);
    return;
  }
  config["mamba_expand"] = inner / hidden;
  set_layer_types_by_keys(to, "mamba");
  config["mamba_conv_bias"] = has_tensor_of(to, "mamba", "ssm_conv1d.bias");
}

void add_nemotron_h(GgufTranslation& to) {
  json& config = to.config;
  const int64_t inner = add_scan_sizes(to), heads = config["mamba_n_heads"];
  if (heads < 1 || inner % heads != 0) return fail_heads(to, inner, heads);
  config["mamba_d_head"] = inner / heads;
  add_single_blocks(to);
  config["mamba_conv_bias"] = has_tensor_of(to, "mamba", "ssm_conv1d.bias");
  config["attention_bias"] = has_tensor_of(to, "full_attention", "attn_q.bias");
  config["mlp_bias"] = has_tensor_of(to, "mlp", "ffn_up.bias");
}

/// The factors are in the weights. Files lack the order of norm and gate: that of published models.
void add_falcon_h1(GgufTranslation& to) {
  json& config = to.config;
  config["mamba_d_ssm"] = add_scan_sizes(to);
  config["mamba_conv_bias"] = to.has_tensor(0, "ssm_conv1d.bias");
  config["mamba_rms_norm"] = to.has_tensor(0, "ssm_norm.weight");
  config["mamba_norm_before_gate"] = false;
}

}  // namespace quire
