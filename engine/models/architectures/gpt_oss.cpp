#include "engine/models/architectures/architecture.h"
#include "engine/models/architectures/config_fields.h"

namespace quire {
namespace {

constexpr std::string_view kGptOssNames[] = {"GptOssForCausalLM", "gpt_oss"};
constexpr TensorName kGptOssTensorNames[] = {
    {"ffn_gate_inp", "mlp.router"},
    {"ffn_gate_up_exps.weight", "mlp.experts.gate_up_proj"},
    {"ffn_gate_up_exps.bias", "mlp.experts.gate_up_proj_bias"},
    {"ffn_down_exps.weight", "mlp.experts.down_proj"},
    {"ffn_down_exps.bias", "mlp.experts.down_proj_bias"},
};
constexpr TensorName kGgufNames[] = {{"ffn_norm", "post_attention_norm"}};

void read_gpt_oss(JsonFields& fields, ModelConfig& config) {
  read_attention_bias(fields, true, config);
  config.has_sinks = true;
  config.glu.kind = GluParams::Kind::kClampedSwiglu;
  config.glu.alpha = static_cast<float>(fields.number("swiglu_alpha", 0.0, 1e6, 1.702));
  config.glu.limit = static_cast<float>(fields.number("swiglu_limit", 0.0, 1e6, 7.0));
  const auto every_other = [](int layer, int) { return layer % 2 == 0; };
  read_layer_types(fields, 128, every_other, 0, config);
  read_experts(fields, {.default_experts_per_token = 4}, config);
  config.experts.has_bias = true;
}

}  // namespace

/// gpt-oss (arXiv:2508.10925): experts with biases and a clamped activation, attention sinks, every
/// other layer local.
const Architecture kGptOss = {.name = "gpt-oss",
                              .other_names = kGptOssNames,
                              .defaults = {.num_kv_heads = 8,
                                           .head_dim = 64,
                                           .max_positions = 131072,
                                           .norm_eps = 1e-5,
                                           .rope = {.theta = 150000.0}},
                              .read = read_gpt_oss,
                              .hugging_face_names = kGptOssTensorNames,
                              .gguf_names = kGgufNames,
                              .transposes_experts_in_hugging_face = true,
                              .interleaves_experts_in_hugging_face = true};

}  // namespace quire
