#include "engine/models/architectures/all.h"
#include "engine/models/architectures/config_fields.h"

namespace quire {
namespace {

constexpr std::string_view kNames[] = {"MixtralForCausalLM"};
constexpr TensorName kTensorNames[] = {
    {"ffn_gate_inp", "block_sparse_moe.gate"},
    {"ffn_gate_exps", "block_sparse_moe.experts.#.w1"},
    {"ffn_up_exps", "block_sparse_moe.experts.#.w3"},
    {"ffn_down_exps", "block_sparse_moe.experts.#.w2"},
};

void read(JsonFields& fields, ModelConfig& config) {
  read_activation(fields, "hidden_act", "silu", config);
  read_window(fields, 0, config);
  read_experts(fields, {}, config);
}

}  // namespace

/// Mixtral (arXiv:2401.04088): Mistral with two of eight experts a token.
const Architecture kMixtral = {.name = "mixtral",
                               .other_names = kNames,
                               .defaults = {.num_kv_heads = 8,
                                            .max_positions = 131072,
                                            .rms_norm_eps = 1e-5,
                                            .rope = {.theta = 1e6}},
                               .read = read,
                               .hugging_face_names = kTensorNames,
                               .rotates_pairs_in_gguf = true};

}  // namespace quire
