#include <algorithm>
#include <cmath>
#include <string>

#include "engine/models/architectures/architecture.h"

namespace quire {
namespace {

constexpr std::string_view kLfm2Names[] = {"Lfm2ForCausalLM", "lfm2"};
constexpr std::string_view kLfm2MoeNames[] = {"Lfm2MoeForCausalLM", "lfm2_moe"};
constexpr FieldAlias kLfm2FieldNames[] = {{"rms_norm_eps", "norm_eps"},
                                          {"intermediate_size", "block_ff_dim"},
                                          {"tie_word_embeddings", "tie_embedding"}};
constexpr TensorName kLfm2TensorNames[] = {{"output_norm", "model.embedding_norm"},
                                           {"attn_norm", "operator_norm"},
                                           {"ffn_norm", "ffn_norm"},
                                           {"attn_q_norm", "self_attn.q_layernorm"},
                                           {"attn_k_norm", "self_attn.k_layernorm"},
                                           {"attn_output", "self_attn.out_proj"},
                                           {"shortconv.in_proj", "conv.in_proj"},
                                           {"shortconv.conv", "conv.conv"},
                                           {"shortconv.out_proj", "conv.out_proj"},
                                           {"ffn_gate", "feed_forward.w1"},
                                           {"ffn_up", "feed_forward.w3"},
                                           {"ffn_down", "feed_forward.w2"},
                                           {"ffn_gate_inp", "feed_forward.gate"},
                                           {"exp_probs_b.bias", "feed_forward.expert_bias"},
                                           {"ffn_gate_exps", "feed_forward.experts.#.w1"},
                                           {"ffn_up_exps", "feed_forward.experts.#.w3"},
                                           {"ffn_down_exps", "feed_forward.experts.#.w2"}};
constexpr TensorName kLfm2GgufNames[] = {{"output_norm", "token_embd_norm"}};
constexpr std::string_view kConv[] = {"conv"};

void read_convolutions(JsonFields& fields, ModelConfig& config) {
  config.qk_norm = QkNorm::kPerHead;
  read_short_convolutions(fields, 3, config);
  const int64_t last = static_cast<int64_t>(config.layers.size()) - 1;
  const std::vector<int64_t> attends = fields.integers("full_attn_idxs", 0, last);
  const bool has_list = fields.has("full_attn_idxs");
  read_mixers(
      fields, MixerKind::kShortConv, kConv,
      [&](int layer) { return has_list && std::ranges::count(attends, layer) == 0; }, config);
}

/// The MLP's width, which the configuration states before it is adjusted.
void adjust_width(JsonFields& fields, ModelConfig& config) {
  if (!fields.boolean("block_auto_adjust_ff_dim", true)) return;
  const double factor = fields.number("block_ffn_dim_multiplier", 1e-3, 1e3, 1.0);
  const int64_t multiple = fields.integer("block_multiple_of", 1, 1 << 20, 256);
  const auto width = static_cast<int64_t>(factor * (2 * config.intermediate_size / 3));
  const int64_t rounded = (width + multiple - 1) / multiple * multiple;
  constexpr int64_t kMaxWidth = 1 << 22;
  if (rounded < 1 || rounded > kMaxWidth) {
    return fields.fail(ErrorCode::kCorruptFile,
                       "block_ffn_dim_multiplier makes the MLP " + std::to_string(rounded) +
                           " wide, outside 1 to " + std::to_string(kMaxWidth));
  }
  config.intermediate_size = static_cast<int>(rounded);
}

void read_lfm2(JsonFields& fields, ModelConfig& config) {
  read_convolutions(fields, config);
  adjust_width(fields, config);
}

void read_lfm2_moe(JsonFields& fields, ModelConfig& config) {
  read_convolutions(fields, config);
  read_experts(fields,
               {.num_experts = "num_experts",
                .intermediate_size = "moe_intermediate_size",
                .default_experts_per_token = 4},
               config);
  read_sigmoid_routing(fields, config);
  config.experts.has_choice_bias = fields.boolean("use_expert_bias", true);
  const auto dense = static_cast<size_t>(fields.integer("num_dense_layers", 0, 4096, 2));
  for (size_t i = 0; i < std::min(dense, config.layers.size()); ++i) {
    config.layers[i].has_experts = false;
  }
}

}  // namespace

/// LFM2: gated short convolutions, and attention in some layers.
const Architecture kLfm2 = {.name = "lfm2",
                            .other_names = kLfm2Names,
                            .defaults = {.num_heads = 32,
                                         .num_kv_heads = 8,
                                         .max_positions = 128000,
                                         .norm_eps = 1e-5,
                                         .tie_word_embeddings = true,
                                         .rope = {.theta = 1e6}},
                            .field_names = kLfm2FieldNames,
                            .read = read_lfm2,
                            .hugging_face_names = kLfm2TensorNames,
                            .gguf_names = kLfm2GgufNames};

/// LFM2 with experts that are chosen by sigmoids.
const Architecture kLfm2Moe = {.name = "lfm2moe",
                               .other_names = kLfm2MoeNames,
                               .defaults = {.num_heads = 32,
                                            .num_kv_heads = 8,
                                            .max_positions = 128000,
                                            .norm_eps = 1e-5,
                                            .tie_word_embeddings = true,
                                            .rope = {.theta = 1e6}},
                               .field_names = kLfm2FieldNames,
                               .read = read_lfm2_moe,
                               .hugging_face_names = kLfm2TensorNames,
                               .gguf_names = kLfm2GgufNames};

}  // namespace quire
