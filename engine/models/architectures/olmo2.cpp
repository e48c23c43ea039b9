#include "engine/models/architectures/architecture.h"
#include "engine/models/architectures/config_fields.h"

namespace quire {
namespace {

constexpr std::string_view kOlmo2Names[] = {"Olmo2ForCausalLM"};

void read_olmo2(JsonFields& fields, ModelConfig& config) {
  read_activation(fields, "hidden_act", "silu", config);
  read_attention_bias(fields, false, config);
  config.norm_placement = NormPlacement::kPost;
  config.qk_norm = QkNorm::kWhole;
}

}  // namespace

/// OLMo 2 (arXiv:2501.00656): norms only after each block, queries and keys normed as one row.
const Architecture kOlmo2 = {.name = "olmo2",
                             .other_names = kOlmo2Names,
                             .defaults = {.max_positions = 2048, .rms_norm_eps = 1e-5},
                             .read = read_olmo2};

}  // namespace quire
