#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/models/architectures/architecture.h"
#include "engine/models/architectures/config_fields.h"

namespace quire {
namespace {

using nlohmann::json;

constexpr std::string_view kGemma3nNames[] = {"Gemma3nForConditionalGeneration",
                                              "Gemma3nForCausalLM", "gemma3n_text"};
constexpr TensorName kGemma3nTensorNames[] = {
    {"ffn_norm", "pre_feedforward_layernorm"},
    {"altup_proj", "model.altup_projections.#"},
    {"altup_unembd_proj", "model.altup_unembed_projections.#"},
    {"altup_router", "altup.modality_router"},
    {"altup_router_norm", "altup.router_norm"},
    {"altup_predict_coef", "altup.prediction_coefs"},
    {"altup_correct_coef", "altup.correction_coefs"},
    {"altup_correct_scale.weight", "altup.correct_output_scale"},
    {"laurel_l", "laurel.linear_left"},
    {"laurel_r", "laurel.linear_right"},
    {"laurel_post_norm", "laurel.post_laurel_norm"},
};

/// The x below which a standard normal number lies with that probability, which is neither 0 nor 1.
double normal_quantile(double probability) {
  double low = -40.0, high = 40.0;
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    const double below = 0.5 * std::erfc(-middle / std::sqrt(2.0));
    (below < probability ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

/// The share of an MLP's gates that are 0 in each layer; by default in the first ten of more.
std::vector<double> sparsities(JsonFields& fields, size_t num_layers) {
  std::vector<double> shares(num_layers, 0.0);
  const json* const list = fields.find("activation_sparsity_pattern");
  if (list == nullptr) {
    for (size_t i = 0; num_layers > 10 && i < 10; ++i) shares[i] = 0.95;
    return shares;
  }
  const auto is_share = [](const json& item) {
    return item.is_number() && item.get<double>() >= 0.0 && item.get<double>() <= 0.999999;
  };
  const bool is_list = list->is_array() && list->size() == num_layers;
  for (size_t i = 0; is_list && i < num_layers; ++i) {
    if (!is_share((*list)[i])) break;
    shares[i] = (*list)[i].get<double>();
    if (i + 1 == num_layers) return shares;
  }
  fields.fail(ErrorCode::kCorruptFile, "activation_sparsity_pattern is not a list of " +
                                           std::to_string(num_layers) +
                                           " numbers of at least 0 and below 1");
  return shares;
}

/// GGUF's files have the thresholds themselves: a list of numbers, and null for dense layers.
void read_thresholds(JsonFields& fields, ModelConfig& config) {
  const json* const given = fields.find("gate_thresholds");
  if (given != nullptr && given->is_array()) {
    for (size_t i = 0; i < std::min(given->size(), config.layers.size()); ++i) {
      if (!(*given)[i].is_number()) continue;
      const auto threshold = (*given)[i].get<double>();
      if (!(std::abs(threshold) <= double{std::numeric_limits<float>::max()})) {
        return fields.fail(
            ErrorCode::kCorruptFile,
            "gate_thresholds holds a number that is too large; download the model again");
      }
      config.layers[i].gate_threshold = static_cast<float>(threshold);
    }
    return;
  }
  const std::vector<double> shares = sparsities(fields, config.layers.size());
  for (size_t i = 0; i < shares.size(); ++i) {
    if (shares[i] == 0.0) continue;
    config.layers[i].gate_threshold = static_cast<float>(normal_quantile(shares[i]));
  }
}

void read_alt_up(JsonFields& fields, ModelConfig& config) {
  AltUpConfig& streams = config.alt_up;
  streams.num_streams = static_cast<int>(fields.integer("altup_num_inputs", 2, 16, 4));
  streams.active = static_cast<int>(fields.integer("altup_active_idx", 0, 15, 0));
  streams.scales_corrected = fields.boolean("altup_correct_scale", true);
  streams.laurel_rank = static_cast<int>(fields.integer("laurel_rank", 1, 1 << 16, 64));
  if (fields.error() || streams.active < streams.num_streams) return;
  fields.fail(ErrorCode::kCorruptFile, "altup_active_idx is " + std::to_string(streams.active) +
                                           ", but there are only " +
                                           std::to_string(streams.num_streams) + " streams");
}

void read_gemma3n(JsonFields& fields, ModelConfig& config) {
  read_activation(fields, "hidden_activation", "gelu_pytorch_tanh", config);
  read_attention_bias(fields, false, config);
  config.norm_placement = NormPlacement::kSandwich;
  config.qk_norm = QkNorm::kPerHead;
  config.norms_values = true;
  config.attention_scale = 1.0f;
  config.embedding_scale = static_cast<float>(std::sqrt(static_cast<double>(config.hidden_size)));
  const bool has_no_cap = fields.is_null("final_logit_softcapping");
  config.logits_soft_cap = static_cast<float>(
      fields.number("final_logit_softcapping", 0.0, 1e6, has_no_cap ? 0.0 : 30.0));
  const auto all_but_nth = [](int layer, int n) { return (layer + 1) % n != 0; };
  read_layer_types(fields, 512, all_but_nth, 5, config);
  read_shared_caches(fields, std::min(15, config.num_layers - 1), config);
  read_alt_up(fields, config);
  read_thresholds(fields, config);
  read_per_layer_embeddings(fields, config);
  if (!fields.error() && config.per_layer.width == 0) {
    fields.fail(ErrorCode::kUnsupported,
                "hidden_size_per_layer_input is 0; Quire runs Gemma 3n with per-layer embeddings");
  }
}

}  // namespace

/// Gemma 3n (its text side): four streams of which the layers compute one, a low-rank path beside
/// attention, per-layer embeddings, caches that the last layers share, sparse gates in the first.
const Architecture kGemma3n = {.name = "gemma3n",
                               .other_names = kGemma3nNames,
                               .defaults = {.num_heads = 8,
                                            .num_kv_heads = 2,
                                            .head_dim = 256,
                                            .vocab_size = 262400,
                                            .max_positions = 32768,
                                            .tie_word_embeddings = true,
                                            .rope = {.theta = 1e6, .local_theta = 1e4}},
                               .read = read_gemma3n,
                               .hugging_face_names = kGemma3nTensorNames};

}  // namespace quire
