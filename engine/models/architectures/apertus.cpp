#include "engine/models/architectures/architecture.h"
#include "engine/models/architectures/config_fields.h"

#include <nlohmann/json.hpp>

namespace quire {
namespace {

constexpr std::string_view kApertusNames[] = {"ApertusForCausalLM"};
constexpr TensorName kApertusTensorNames[] = {{"attn_norm", "attention_layernorm"},
                                              {"ffn_norm", "feedforward_layernorm"},
                                              {"ffn_act", "mlp.act_fn"}};

/// GGUF's metadata hold the activations' parameters, one of each for every layer.
void read_stored_activations(JsonFields& fields, ModelConfig& config) {
  const nlohmann::json* const list = fields.find("xielu_parameters");
  if (list == nullptr) return;
  if (!list->is_array() || list->size() != config.layers.size()) {
    return fields.fail(ErrorCode::kCorruptFile,
                       "xielu_parameters is not a list with an entry for each layer");
  }
  for (const nlohmann::json& item : *list) {
    JsonFields layer(item, fields.where() + ": xielu_parameters");
    const auto number = [&](const char* name) {
      return static_cast<float>(layer.number(name, -1e6, 1e6));
    };
    config.stored_activations.push_back({.kind = Activation::Kind::kXielu,
                                         .positive = number("alpha_p"),
                                         .negative = number("alpha_n"),
                                         .beta = number("beta"),
                                         .eps = number("eps")});
    if (layer.error()) return fields.fail(*layer.error());
  }
}

void read_apertus(JsonFields& fields, ModelConfig& config) {
  // Its class has a scaled rotation by default, which every published file states.
  if (!fields.has("rope_parameters") && !fields.has("rope_scaling")) {
    return fields.fail(ErrorCode::kCorruptFile, "rope_parameters is missing");
  }
  read_attention_bias(fields, false, config);
  config.qk_norm = QkNorm::kPerHead;
  if (fields.string("hidden_act", "xielu") != "xielu") {
    return read_plain_activation(fields, "hidden_act", "xielu", config);
  }
  config.has_gated_mlp = false;
  config.activation.kind = Activation::Kind::kXielu;
  read_stored_activations(fields, config);
}

}  // namespace

/// Apertus (arXiv:2509.14233): normed queries and keys, MLPs without a gate whose activation is
/// xIELU with parameters of each layer.
const Architecture kApertus = {
    .name = "apertus",
    .other_names = kApertusNames,
    .defaults = {.max_positions = 65536, .norm_eps = 1e-5, .rope = {.theta = 12e6}},
    .read = read_apertus,
    .hugging_face_names = kApertusTensorNames};

}  // namespace quire
