#include "engine/models/architectures/architecture.h"
#include "engine/models/architectures/config_fields.h"

namespace quire {
namespace {

constexpr std::string_view kQwen2Names[] = {"Qwen2ForCausalLM"};

void read_qwen2(JsonFields& fields, ModelConfig& config) {
  read_activation(fields, "hidden_act", "silu", config);
  config.qkv_bias = true;
  read_optional_window(fields, config);
}

}  // namespace

/// Qwen 2 and 2.5 (arXiv:2407.10671): biases on queries, keys and values.
const Architecture kQwen2 = {.name = "qwen2",
                             .other_names = kQwen2Names,
                             .defaults = {.num_kv_heads = 32, .max_positions = 32768},
                             .read = read_qwen2};

}  // namespace quire
