#include "engine/models/architectures/architecture.h"
#include "engine/models/architectures/config_fields.h"

namespace quire {
namespace {

constexpr std::string_view kLlamaNames[] = {"LlamaForCausalLM"};

void read_llama(JsonFields& fields, ModelConfig& config) {
  read_activation(fields, "hidden_act", "silu", config);
  read_attention_bias(fields, false, config);
  read_mlp_bias(fields, config);
  // GGUF calls Mixtral a Llama, too.
  if (fields.has("num_local_experts")) read_experts(fields, {}, config);
}

}  // namespace

/// Llama 2 and 3 (arXiv:2307.09288, arXiv:2407.21783), and the many that are built like them.
const Architecture kLlama = {.name = "llama",
                             .other_names = kLlamaNames,
                             .defaults = {},
                             .read = read_llama,
                             .rotates_pairs_in_gguf = true};

}  // namespace quire
