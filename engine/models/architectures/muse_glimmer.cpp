#include <cmath>
#include <vector>

#include "engine/models/architectures/architecture.h"
#include "engine/models/architectures/config_fields.h"

namespace quire {
namespace {

constexpr std::string_view kMuseGlimmerNames[] = {"MuseGlimmerForConditionalGeneration",
                                                  "muse_glimmer", "muse_glimmer_text"};

constexpr TensorName kMuseGlimmerTensorNames[] = {{"ffn_norm", "pre_feedforward_layernorm"}};

/// Layers whose theta in layer_rope_theta is 0 do not rotate.
void read_rotated_layers(JsonFields& fields, ModelConfig& config) {
  const std::vector<int64_t> thetas = fields.integers("layer_rope_theta", 0, int64_t{1} << 40);
  const size_t count = config.layers.size();
  for (size_t i = 0; i < count; ++i) {
    const bool is_listed = thetas.size() == count;
    const bool rotates = is_listed ? thetas[i] != 0 : (count - 1 - i) % 4 != 0;
    config.layers[i].rope = rotates ? 0 : -1;
  }
}

void read_muse_glimmer(JsonFields& fields, ModelConfig& config) {
  read_activation(fields, "hidden_activation", "silu", config);
  read_attention_bias(fields, false, config);
  config.norm_placement = NormPlacement::kSandwich;
  config.post_norm_eps = static_cast<float>(fields.number("post_norm_eps", 0.0, 1.0, 1e-8));
  config.norms_embeddings = true;
  config.has_output_gate = true;
  // GGUF's files hold the factor in the norms' weights.
  const bool has_weights = fields.boolean("has_qk_norm_weights", false);
  config.qk_norm = has_weights ? QkNorm::kPerHead : QkNorm::kUnweighted;
  const double factor = fields.number("qk_scale_factor", 1e-6, 1e6, 3.87);
  config.attention_scale = static_cast<float>(factor / std::sqrt(config.head_dim));
  config.logits_scale =
      static_cast<float>(fields.number("output_multiplier", 1e-9, 1e9, 0.19611613513818404));
  config.logits_soft_cap = static_cast<float>(fields.number("final_logit_softcapping", 0, 1e6, 20));
  const auto count = static_cast<int>(config.layers.size());
  const auto is_local = [](int layer, int n) { return (n - 1 - layer) % 4 != 0; };
  read_layer_types(fields, 2048, is_local, count, config);
  read_rotated_layers(fields, config);
}

}  // namespace

/// Muse Glimmer: gated attention, every fourth layer global and without positions.
const Architecture kMuseGlimmer = {
    .name = "muse-glimmer",
    .other_names = kMuseGlimmerNames,
    .defaults = {.num_kv_heads = 2, .head_dim = 128, .max_positions = 131072, .norm_eps = 1e-5},
    .read = read_muse_glimmer,
    .hugging_face_names = kMuseGlimmerTensorNames,
    .rotates_pairs_in_gguf = true,
    .norms_minus_one_in_hugging_face = true,
    .keeps_last_norm_in_hugging_face = true};

}  // namespace quire
