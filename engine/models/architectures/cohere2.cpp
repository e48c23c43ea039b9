#include "engine/models/architectures/architecture.h"
#include "engine/models/architectures/config_fields.h"

namespace quire {
namespace {

constexpr std::string_view kCohere2Names[] = {"Cohere2ForCausalLM"};
constexpr FieldAlias kCohere2Fields[] = {{"rms_norm_eps", "layer_norm_eps"}};

void read_cohere2(JsonFields& fields, ModelConfig& config) {
  read_activation(fields, "hidden_act", "silu", config);
  read_attention_bias(fields, false, config);
  config.norm = NormKind::kLayer;
  config.norm_placement = NormPlacement::kParallel;
  config.logits_scale = static_cast<float>(fields.number("logit_scale", 1e-9, 1e9, 0.0625));
  const auto pattern = static_cast<int>(fields.integer("sliding_window_pattern", 1, 1 << 20, 4));
  const auto all_but_nth = [](int layer, int n) { return (layer + 1) % n != 0; };
  read_layer_types(fields, 4096, all_but_nth, pattern, config);
  for (LayerConfig& layer : config.layers) {
    if (layer.sliding_window == 0) layer.rope = -1;
  }
}

}  // namespace

/// Command R7B and A: both blocks beside each other, global layers without positions.
const Architecture kCohere2 = {
    .name = "cohere2",
    .other_names = kCohere2Names,
    .defaults = {.max_positions = 8192, .norm_eps = 1e-5, .tie_word_embeddings = true},
    .field_names = kCohere2Fields,
    .read = read_cohere2,
    .rotates_pairs_in_gguf = true,
    .rotates_pairs_in_hugging_face = true};

}  // namespace quire
