#include "engine/models/architectures/architecture.h"
#include "engine/models/architectures/config_fields.h"

namespace quire {
namespace {

constexpr std::string_view kMixtralNames[] = {"MixtralForCausalLM"};
constexpr TensorName kMixtralTensorNames[] = {
    {"ffn_gate_inp", "block_sparse_moe.gate"},
    {"ffn_gate_exps", "block_sparse_moe.experts.#.w1"},
    {"ffn_up_exps", "block_sparse_moe.experts.#.w3"},
    {"ffn_down_exps", "block_sparse_moe.experts.#.w2"},
};

void read_mixtral(JsonFields& fields, ModelConfig& config) {
  read_activation(fields, "hidden_act", "silu", config);
  read_window(fields, 0, config);
  read_experts(fields, {}, config);
}

}  // namespace

/// Mixtral (arXiv:2401.04088): Mistral with two of eight experts a token.
const Architecture kMixtral = {.name = "mixtral",
                               .other_names = kMixtralNames,
                               .defaults = {.num_kv_heads = 8,
                                            .max_positions = 131072,
                                            .norm_eps = 1e-5,
                                            .rope = {.theta = 1e6}},
                               .read = read_mixtral,
                               .hugging_face_names = kMixtralTensorNames,
                               .rotates_pairs_in_gguf = true};

}  // namespace quire
