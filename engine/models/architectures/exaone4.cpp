#include "engine/models/architectures/architecture.h"
#include "engine/models/architectures/config_fields.h"

namespace quire {
namespace {

constexpr std::string_view kExaone4Names[] = {"Exaone4ForCausalLM"};

/// The last of so many layers is global; 0: all are. Published files name the layers ("LLLG") and
/// list them, too.
int read_pattern(JsonFields& fields) {
  if (fields.has("layer_types")) return 0;
  return static_cast<int>(fields.integer("sliding_window_pattern", 0, 1 << 20, 4));
}

void read_exaone4(JsonFields& fields, ModelConfig& config) {
  read_activation(fields, "hidden_act", "silu", config);
  config.norm_placement = NormPlacement::kPost;
  config.qk_norm = QkNorm::kPerHead;
  const auto all_but_nth = [](int layer, int n) { return n > 0 && (layer + 1) % n != 0; };
  read_layer_types(fields, 4096, all_but_nth, read_pattern(fields), config);
  const bool has_window = fields.has("sliding_window") || !fields.is_null("sliding_window");
  for (LayerConfig& layer : config.layers) {
    if (has_window && layer.sliding_window == 0) layer.rope = -1;
  }
}

}  // namespace

/// EXAONE 4 (arXiv:2507.11407): norms only after each block, global layers without positions.
const Architecture kExaone4 = {.name = "exaone4",
                               .other_names = kExaone4Names,
                               .defaults = {.max_positions = 2048, .norm_eps = 1e-5},
                               .read = read_exaone4};

}  // namespace quire
