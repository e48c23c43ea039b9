#include "engine/models/architectures/architecture.h"
#include "engine/models/architectures/config_fields.h"

namespace quire {
namespace {

constexpr std::string_view kSmollm3Names[] = {"SmolLM3ForCausalLM"};

/// The window, if there is one, belongs to the layers that do not rotate, unless layer_types says
/// otherwise.
void read_windows(JsonFields& fields, ModelConfig& config) {
  if (!fields.boolean("use_sliding_window", false)) return;
  if (fields.has("layer_types")) {
    return read_layer_types(
        fields, 0, [](int, int) { return false; }, 0, config);
  }
  const auto window = static_cast<int>(fields.integer("sliding_window", 0, 1 << 28, 0));
  for (LayerConfig& layer : config.layers) {
    if (layer.rope < 0) layer.sliding_window = window;
  }
}

void read_smollm3(JsonFields& fields, ModelConfig& config) {
  read_activation(fields, "hidden_act", "silu", config);
  read_attention_bias(fields, false, config);
  read_mlp_bias(fields, config);
  read_no_rope_layers(fields, config);
  read_windows(fields, config);
}

}  // namespace

/// SmolLM3: every fourth layer does not rotate (NoPE, arXiv:2501.18795).
const Architecture kSmolLm3 = {.name = "smollm3",
                               .other_names = kSmollm3Names,
                               .defaults = {.num_kv_heads = 4,
                                            .max_positions = 32768,
                                            .tie_word_embeddings = true,
                                            .rope = {.theta = 2e6}},
                               .read = read_smollm3,
                               .rotates_pairs_in_gguf = true};

}  // namespace quire
