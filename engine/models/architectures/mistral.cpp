#include "engine/models/architectures/architecture.h"
#include "engine/models/architectures/config_fields.h"

namespace quire {
namespace {

constexpr std::string_view kMistralNames[] = {"MistralForCausalLM", "MinistralForCausalLM",
                                              "Mistral3ForConditionalGeneration", "ministral"};
constexpr std::string_view kMinistral3Names[] = {"Ministral3ForCausalLM", "ministral3"};
constexpr int kDefaultWindow = 4096;

void read_mistral(JsonFields& fields, ModelConfig& config) {
  read_activation(fields, "hidden_act", "silu", config);
  if (!fields.has("layer_types")) return read_window(fields, kDefaultWindow, config);
  const auto every_layer = [](int, int) { return true; };
  read_layer_types(fields, kDefaultWindow, every_layer, 0, config);
}

void read_ministral3(JsonFields& fields, ModelConfig& config) {
  read_activation(fields, "hidden_act", "silu", config);
  if (!fields.has("rope_parameters")) {
    return fields.fail(ErrorCode::kCorruptFile, "rope_parameters is missing");
  }
  read_query_scale(fields, 16384, config);
  read_window(fields, 0, config);
}

}  // namespace

/// Mistral 7B (arXiv:2310.06825), its successors, and Ministral 8B's alternating windows.
const Architecture kMistral = {
    .name = "mistral",
    .other_names = kMistralNames,
    .defaults = {.num_kv_heads = 8, .max_positions = 131072, .rope = {.extends_by_yarn = false}},
    .read = read_mistral,
    .rotates_pairs_in_gguf = true};

const Architecture kMinistral3 = {.name = "mistral3",
                                  .other_names = kMinistral3Names,
                                  .defaults = {.num_kv_heads = 8,
                                               .head_dim = 128,
                                               .max_positions = 262144,
                                               .norm_eps = 1e-5,
                                               .rope = {.theta = 1e6, .extends_by_yarn = false}},
                                  .read = read_ministral3,
                                  .rotates_pairs_in_gguf = true};

}  // namespace quire
