#include "engine/models/gguf_keys.h"

#include <algorithm>
#include <utility>

#include "engine/io/text.h"

namespace quire {
namespace {

constexpr size_t kMostArchitecture = 128;  ///< Bytes; it begins the name of each key.

}  // namespace

GgufKeys::GgufKeys(const GgufFile& file)
    : m_file(file),
      m_file_name(file.path().filename().string()),
      m_architecture(
          file.string("general.architecture").value_or("").substr(0, kMostArchitecture)) {
  if (m_architecture.empty()) {
    fail(ErrorCode::kCorruptFile, "general.architecture is missing, so that this is no model");
  }
}

template <typename T>
std::optional<T> GgufKeys::typed(std::string_view name, std::optional<T> value, const char* what) {
  if (!value && has(name)) {
    fail(ErrorCode::kCorruptFile,
         for_message(key(name)) + " is not " + what + "; choose another conversion of the model");
  }
  return value;
}

std::optional<int64_t> GgufKeys::integer(std::string_view name) {
  return typed(name, m_file.integer(key(name)), "a whole number");
}
std::optional<double> GgufKeys::number(std::string_view name) {
  return typed(name, m_file.number(key(name)), "a number");
}
std::optional<bool> GgufKeys::boolean(std::string_view name) {
  return typed(name, m_file.boolean(key(name)), "true or false");
}
std::optional<std::string_view> GgufKeys::string(std::string_view name) {
  return typed(name, m_file.string(key(name)), "a text");
}

std::vector<int64_t> GgufKeys::per_layer(std::string_view name) {
  std::vector<int64_t> all = integers(name);
  const int64_t count = m_file.integer(key("block_count")).value_or(0);
  if (!all.empty() && static_cast<int64_t>(all.size()) != count) {
    fail(ErrorCode::kCorruptFile, for_message(key(name)) + " has " + std::to_string(all.size()) +
                                      " entries for " + std::to_string(count) +
                                      " layers; choose another conversion of the model");
  }
  return all;
}

int64_t GgufKeys::required_integer(std::string_view name) {
  const auto value = same_in_all_layers(name);
  if (!value) fail(ErrorCode::kCorruptFile, for_message(key(name)) + " is missing or no number");
  return value.value_or(0);
}

double GgufKeys::required_number(std::string_view name) {
  const auto value = number(name);
  if (!value) fail(ErrorCode::kCorruptFile, for_message(key(name)) + " is missing or no number");
  return value.value_or(0.0);
}

std::optional<int64_t> GgufKeys::same_in_all_layers(std::string_view name) {
  return same(name, per_layer(name));
}

std::optional<int64_t> GgufKeys::same_where_not_zero(std::string_view name) {
  std::vector<int64_t> numbers = per_layer(name);
  // Not the one of std::ranges: clang 14 cannot compile the subrange of GCC 12's library that it
  // returns.
  const auto first_zero =
      std::stable_partition(numbers.begin(), numbers.end(), [](int64_t n) { return n != 0; });
  // One 0 stays of a list that has nothing else.
  const auto at = std::max(first_zero, numbers.begin() + !numbers.empty());
  numbers.erase(at, numbers.end());
  return same(name, numbers);
}

std::optional<int64_t> GgufKeys::same(std::string_view name, const std::vector<int64_t>& numbers) {
  if (numbers.empty()) return integer(name);
  const auto other =
      std::find_if(numbers.begin(), numbers.end(), [&](int64_t n) { return n != numbers[0]; });
  if (other != numbers.end()) {
    fail(ErrorCode::kUnsupported, for_message(key(name)) + " is " + std::to_string(numbers[0]) +
                                      " in some layers and " + std::to_string(*other) +
                                      " in others, which Quire does not run");
  }
  return numbers[0];
}

void GgufKeys::fail(ErrorCode code, const std::string& fault) {
  if (!m_error) m_error = Error{code, m_file_name + ": " + fault};
}

void GgufKeys::refuse(std::string_view name, const std::string& value, const std::string& what) {
  fail(ErrorCode::kUnsupported,
       for_message(key(name)) + " is " + value + "; Quire runs models " + what);
}

Error with_gguf_key(Error error, const GgufKeys& keys) {
  constexpr std::pair<std::string_view, const char*> kKeys[] = {
      {"hidden_size", "embedding_length"},
      {"intermediate_size", "feed_forward_length"},
      {"moe_intermediate_size", "expert_feed_forward_length"},
      {"num_hidden_layers", "block_count"},
      {"num_attention_heads", "attention.head_count"},
      {"num_key_value_heads", "attention.head_count_kv"},
      {"head_dim", "attention.key_length"},
      {"max_position_embeddings", "context_length"},
      {"rms_norm_eps", "attention.layer_norm_rms_epsilon"},
      {"sliding_window", "attention.sliding_window"},
      {"num_local_experts", "expert_count"},
      {"num_experts", "expert_count"},
      {"num_experts_per_tok", "expert_used_count"},
      {"n_routed_experts", "expert_count"},
      {"moe_num_experts", "expert_count"},
      {"moe_k", "expert_used_count"},
      {"n_group", "expert_group_count"},
      {"topk_group", "expert_group_used_count"},
      {"n_shared_experts", "expert_shared_count"},
      {"moe_num_shared_experts", "expert_shared_count"},
      {"shared_expert_intermediate_size", "expert_shared_feed_forward_length"},
      {"routed_scaling_factor", "expert_weights_scale"},
      {"first_k_dense_replace", "leading_dense_block_count"},
      {"moe_layer_start_index", "leading_dense_block_count"},
      {"moe_layer_interval", "interleave_moe_layer_step"},
      {"num_nextn_predict_layers", "nextn_predict_layers"},
      {"linear_conv_kernel_dim", "ssm.conv_kernel"},
      {"linear_key_head_dim", "ssm.state_size"},
      {"linear_value_head_dim", "ssm.inner_size"},
      {"linear_num_key_heads", "ssm.group_count"},
      {"linear_num_value_heads", "ssm.time_step_rank"},
      {"full_attention_interval", "full_attention_interval"},
      {"mamba_d_conv", "ssm.conv_kernel"},
      {"mamba_d_state", "ssm.state_size"},
      {"mamba_n_groups", "ssm.group_count"},
      {"mamba_n_heads", "ssm.time_step_rank"},
      {"mamba_expand", "ssm.inner_size"},
      {"mamba_d_head", "ssm.inner_size"},
      {"mamba_d_ssm", "ssm.inner_size"},
      {"moe_latent_size", "moe_latent_size"},
      {"moe_shared_expert_intermediate_size", "expert_shared_feed_forward_length"},
      {"shared_intermediate_size", "expert_shared_feed_forward_length"},
      {"conv_L_cache", "shortconv.l_cache"},
      {"num_dense_layers", "leading_dense_block_count"},
      {"logit_scale", "logit_scale"},
      {"output_multiplier", "logit_scale"},
      {"embedding_multiplier", "embedding_scale"},
      {"residual_multiplier", "residual_scale"},
      {"attention_multiplier", "attention.scale"},
      {"logits_scaling", "logit_scale"},
      {"rope_theta", "rope.freq_base"},
      {"rope_local_base_freq", "rope.freq_base_swa"},
      {"rope_type", "rope.scaling.type"},
      {"factor", "rope.scaling.factor"},
      {"original_max_position_embeddings", "rope.scaling.original_context_length"},
      {"partial_rotary_factor", "rope.dimension_count"},
      {"gate_thresholds", "activation_sparsity_scale"}};
  for (const auto& [field, key] : kKeys) {
    if (error.message.find(": " + std::string(field) + " ") == std::string::npos) continue;
    return {error.code, error.message + " (in this file it is the key " + keys.key(key) + ")"};
  }
  return error;
}

}  // namespace quire
