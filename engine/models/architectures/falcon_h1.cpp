#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/models/architectures/architecture.h"
#include "engine/models/architectures/recurrent_fields.h"

namespace quire {
namespace {

using nlohmann::json;

constexpr std::string_view kFalconNames[] = {"FalconH1ForCausalLM", "falcon_h1"};
constexpr TensorName kFalconTensorNames[] = {{"output_norm", "model.final_layernorm"},
                                             {"ffn_norm", "pre_ff_layernorm"},
                                             {"ffn_gate", "feed_forward.gate_proj"},
                                             {"ffn_up", "feed_forward.up_proj"},
                                             {"ffn_down", "feed_forward.down_proj"},
                                             {"ssm_in", "mamba.in_proj"},
                                             {"ssm_conv1d", "mamba.conv1d"},
                                             {"ssm_a", "mamba.A_log"},
                                             {"ssm_d", "mamba.D"},
                                             {"ssm_dt.bias", "mamba.dt_bias"},
                                             {"ssm_norm", "mamba.norm"},
                                             {"ssm_out", "mamba.out_proj"}};
/// llama.cpp's converter leaves out the suffix.
constexpr TensorName kFalconGgufNames[] = {{"ffn_norm.weight", "ffn_norm"}};

/// `count` of them; 1 each if the field is absent.
std::vector<float> factors(JsonFields& fields, const char* name, size_t count) {
  std::vector<float> values(count, 1.0f);
  const json* const list = fields.find(name);
  if (list == nullptr) return values;
  bool is_good = list->is_array() && list->size() == count;
  for (size_t i = 0; is_good && i < count; ++i) {
    const json& item = (*list)[i];
    const double value = item.is_number() ? item.get<double>() : 0.0;
    is_good = value >= kLeastMultiplier && value <= kMostMultiplier;
    values[i] = static_cast<float>(value);
  }
  if (!is_good) {
    fields.fail(ErrorCode::kCorruptFile, std::string(name) + " is not a list of " +
                                             std::to_string(count) + " positive numbers");
  }
  return values;
}

/// Factors of inputs are moved behind the projections, which biases between the two do not allow.
void read_attention_multipliers(JsonFields& fields, ModelConfig& config) {
  read_attention_bias(fields, false, config);
  const float in = read_multiplier(fields, "attention_in_multiplier");
  config.attention_scale = in * in * read_multiplier(fields, "key_multiplier") /
                           std::sqrt(static_cast<float>(config.head_dim));
  config.block_scales.attention = in * read_multiplier(fields, "attention_out_multiplier");
  if (!config.qkv_bias || in == 1.0f) return;
  fields.fail(ErrorCode::kUnsupported,
              "attention_bias is true and attention_in_multiplier is not 1; Quire supports one of "
              "them");
}

void read_mamba_multipliers(JsonFields& fields, ModelConfig& config) {
  const float in = read_multiplier(fields, "ssm_in_multiplier");
  const std::vector<float> parts = factors(fields, "ssm_multipliers", 5);
  config.recurrent.scales = {.gates = in * parts[0],
                             .x = in * parts[1],
                             .b = in * parts[2],
                             .c = in * parts[3],
                             .time_steps = in * parts[4]};
  config.block_scales.mamba2 = read_multiplier(fields, "ssm_out_multiplier");
}

void read_mamba(JsonFields& fields, ModelConfig& config) {
  const int64_t expanded = fields.integer("mamba_expand", 1, 64, 2) * config.hidden_size;
  const bool is_expanded = fields.is_null("mamba_d_ssm");
  const int64_t inner = fields.integer("mamba_d_ssm", 1, 1 << 26, is_expanded ? expanded : 1024);
  read_scan(fields, {.inner_size = inner}, config);
  read_time_step_limit(fields, config);
  const bool norms = fields.boolean("mamba_rms_norm", false);
  const bool norms_first = fields.boolean("mamba_norm_before_gate", true);
  config.recurrent.gating =
      !norms ? ScanGating::kGateAlone
             : (norms_first ? ScanGating::kNormThenGate : ScanGating::kGateThenNorm);
  for (const char* bias : {"mamba_proj_bias", "projectors_bias"}) {
    if (!fields.boolean(bias, false)) continue;
    fields.fail(ErrorCode::kUnsupported,
                std::string(bias) + " is true; Quire runs models of this kind without that bias");
  }
  read_mamba_multipliers(fields, config);
}

void read_falcon_h1(JsonFields& fields, ModelConfig& config) {
  refuse_other_than_silu(fields, "hidden_act");
  read_mlp_bias(fields, config);
  read_attention_multipliers(fields, config);
  read_mamba(fields, config);
  for (LayerConfig& layer : config.layers) layer.mixer = MixerKind::kAttentionAndMamba2;
  const std::vector<float> mlp = factors(fields, "mlp_multipliers", 2);
  config.block_scales.mlp_gate = mlp[0];
  config.block_scales.mlp = mlp[1];
  config.embedding_scale = read_multiplier(fields, "embedding_multiplier");
  config.logits_scale = read_multiplier(fields, "lm_head_multiplier");
}

}  // namespace

/// Falcon-H1: attention and Mamba 2 beside each other in every layer, and factors for everything,
/// which GGUF's files have in their weights.
const Architecture kFalconH1 = {.name = "falcon-h1",
                                .other_names = kFalconNames,
                                .defaults = {.num_heads = 32,
                                             .num_kv_heads = 8,
                                             .vocab_size = 128000,
                                             .max_positions = 8192,
                                             .norm_eps = 1e-5},
                                .read = read_falcon_h1,
                                .hugging_face_names = kFalconTensorNames,
                                .gguf_names = kFalconGgufNames};

}  // namespace quire
