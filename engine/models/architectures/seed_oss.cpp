#include "engine/models/architectures/architecture.h"
#include "engine/models/architectures/config_fields.h"

namespace quire {
namespace {

constexpr std::string_view kSeedOssNames[] = {"SeedOssForCausalLM"};
constexpr TensorName kSeedOssGgufNames[] = {{"ffn_norm", "post_attention_norm"}};

void read_seed_oss(JsonFields& fields, ModelConfig& config) {
  read_activation(fields, "hidden_act", "silu", config);
  read_mlp_bias(fields, config);
  config.qkv_bias = fields.boolean("attention_bias", true);
  config.output_bias = fields.boolean("attention_out_bias", false);
}

}  // namespace

/// Seed-OSS: Llama with biases on queries, keys and values.
const Architecture kSeedOss = {
    .name = "seed_oss",
    .other_names = kSeedOssNames,
    .defaults = {.num_kv_heads = 8, .head_dim = 128, .max_positions = 524288},
    .read = read_seed_oss,
    .gguf_names = kSeedOssGgufNames};

}  // namespace quire
