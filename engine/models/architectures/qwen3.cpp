#include "engine/models/architectures/architecture.h"
#include "engine/models/architectures/config_fields.h"

namespace quire {
namespace {

constexpr std::string_view kQwen3Names[] = {"Qwen3ForCausalLM"};

void read_qwen3(JsonFields& fields, ModelConfig& config) {
  read_activation(fields, "hidden_act", "silu", config);
  read_attention_bias(fields, false, config);
  config.qk_norm = QkNorm::kPerHead;
  read_optional_window(fields, config);
}

}  // namespace

/// Qwen 3 (arXiv:2505.09388): the heads of queries and keys are normed.
const Architecture kQwen3 = {
    .name = "qwen3",
    .other_names = kQwen3Names,
    .defaults = {.num_kv_heads = 32, .head_dim = 128, .max_positions = 32768},
    .read = read_qwen3};

}  // namespace quire
