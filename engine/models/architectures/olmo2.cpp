#include "engine/models/architectures/architecture.h"
#include "engine/models/architectures/config_fields.h"

namespace quire {
namespace {

constexpr std::string_view kOlmo3Names[] = {"Olmo3ForCausalLM"};
constexpr std::string_view kOlmo2Names[] = {"Olmo2ForCausalLM"};

void read_olmo2(JsonFields& fields, ModelConfig& config) {
  read_activation(fields, "hidden_act", "silu", config);
  read_attention_bias(fields, false, config);
  config.norm_placement = NormPlacement::kPost;
  config.qk_norm = QkNorm::kWhole;
}

void read_olmo3(JsonFields& fields, ModelConfig& config) {
  read_olmo2(fields, config);
  const auto all_but_fourth = [](int layer, int) { return (layer + 1) % 4 != 0; };
  read_layer_types(fields, 4096, all_but_fourth, 0, config);
}

}  // namespace

/// OLMo 3: three of four layers local, which rotate without the global ones' scaling.
const Architecture kOlmo3 = {
    .name = "olmo3",
    .other_names = kOlmo3Names,
    .defaults = {.max_positions = 2048, .norm_eps = 1e-5, .rope = {.unscaled_local = true}},
    .read = read_olmo3,
    .has_gguf_layout = false};

/// OLMo 2 (arXiv:2501.00656): norms only after each block, queries and keys normed as one row.
const Architecture kOlmo2 = {.name = "olmo2",
                             .other_names = kOlmo2Names,
                             .defaults = {.max_positions = 2048, .norm_eps = 1e-5},
                             .read = read_olmo2};

}  // namespace quire
