#include "engine/models/architectures/architecture.h"
#include "engine/models/architectures/config_fields.h"

namespace quire {
namespace {

constexpr std::string_view kArceeNames[] = {"ArceeForCausalLM"};

void read_arcee(JsonFields& fields, ModelConfig& config) {
  read_plain_activation(fields, "hidden_act", "relu2", config);
  read_attention_bias(fields, false, config);
  read_mlp_bias(fields, config);
}

}  // namespace

/// AFM 4.5B: Llama with MLPs without gates, of squared ReLU.
const Architecture kArcee = {.name = "arcee",
                             .other_names = kArceeNames,
                             .defaults = {.max_positions = 4096, .norm_eps = 1e-5},
                             .read = read_arcee,
                             .rotates_pairs_in_gguf = true};

}  // namespace quire
