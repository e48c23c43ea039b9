#include "engine/models/architectures/architecture.h"
#include "engine/models/architectures/config_fields.h"

namespace quire {
namespace {

constexpr std::string_view kDots1Names[] = {"Dots1ForCausalLM"};

void read_dots1(JsonFields& fields, ModelConfig& config) {
  read_activation(fields, "hidden_act", "silu", config);
  read_attention_bias(fields, false, config);
  config.qk_norm = QkNorm::kPerHead;
  const auto first = static_cast<int>(fields.integer("max_window_layers", 0, 1 << 20, 62));
  read_layer_types(
      fields, 4096, [](int layer, int n) { return layer >= n; }, first, config);
  read_experts(fields,
               {.num_experts = "n_routed_experts", .intermediate_size = "moe_intermediate_size"},
               config);
  read_sigmoid_routing(fields, config);
  read_leading_dense_layers(fields, 0, config);
  read_shared_experts(fields, "n_shared_experts", 0, config);
}

}  // namespace

/// dots.llm1 (arXiv:2506.05767): normed queries and keys, experts chosen by sigmoids.
const Architecture kDots1 = {
    .name = "dots1", .other_names = kDots1Names, .defaults = {}, .read = read_dots1};

}  // namespace quire
