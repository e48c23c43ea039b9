#include "engine/models/architectures/architecture.h"
#include "engine/models/architectures/config_fields.h"

namespace quire {
namespace {

constexpr std::string_view kMiniMaxM2Names[] = {"MiniMaxM2ForCausalLM", "minimax_m2"};
constexpr TensorName kMiniMaxM2TensorNames[] = {
    {"ffn_gate_inp", "block_sparse_moe.gate"},
    {"exp_probs_b.bias", "block_sparse_moe.e_score_correction_bias"},
    {"ffn_gate_exps", "block_sparse_moe.experts.#.w1"},
    {"ffn_up_exps", "block_sparse_moe.experts.#.w3"},
    {"ffn_down_exps", "block_sparse_moe.experts.#.w2"}};

void read_minimax_m2(JsonFields& fields, ModelConfig& config) {
  read_activation(fields, "hidden_act", "silu", config);
  config.qk_norm = QkNorm::kWhole;
  read_experts(fields, {.default_experts_per_token = 8}, config);
  read_sigmoid_routing(fields, config);
}

}  // namespace

/// MiniMax M2: 256 experts chosen by sigmoids, queries and keys normed as one row, a part rotated.
const Architecture kMiniMaxM2 = {.name = "minimax-m2",
                                 .other_names = kMiniMaxM2Names,
                                 .defaults = {.num_kv_heads = 8,
                                              .head_dim = 128,
                                              .max_positions = 196608,
                                              .rope = {.theta = 5e6, .old_partial = "rotary_dim"}},
                                 .read = read_minimax_m2,
                                 .hugging_face_names = kMiniMaxM2TensorNames};

}  // namespace quire
