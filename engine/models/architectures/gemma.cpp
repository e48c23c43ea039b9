#include <cmath>

#include "engine/models/architectures/architecture.h"
#include "engine/models/architectures/config_fields.h"

namespace quire {
namespace {

constexpr std::string_view kGemma2Names[] = {"Gemma2ForCausalLM"};
constexpr std::string_view kGemma3Names[] = {"Gemma3ForCausalLM", "Gemma3ForConditionalGeneration",
                                             "gemma3_text"};
constexpr TensorName kGemmaTensorNames[] = {{"ffn_norm", "pre_feedforward_layernorm"}};

float soft_cap(JsonFields& fields, const char* name, double fallback) {
  // Null turns the cap off; an absent field means the default.
  return static_cast<float>(fields.number(name, 0.0, 1e6, fields.is_null(name) ? 0.0 : fallback));
}

/// What Gemma 2 and 3 have in common.
void read_gemma(JsonFields& fields, double attention_cap, double logits_cap, ModelConfig& config) {
  read_activation(fields, "hidden_activation", "gelu_pytorch_tanh", config);
  read_attention_bias(fields, false, config);
  config.norm_placement = NormPlacement::kSandwich;
  config.attention_soft_cap = soft_cap(fields, "attn_logit_softcapping", attention_cap);
  config.logits_soft_cap = soft_cap(fields, "final_logit_softcapping", logits_cap);
  const double scalar = fields.number("query_pre_attn_scalar", 1e-3, 1e6, 256.0);
  config.attention_scale = static_cast<float>(1.0 / std::sqrt(scalar));
  config.embedding_scale = static_cast<float>(std::sqrt(static_cast<double>(config.hidden_size)));
  if (fields.boolean("use_bidirectional_attention", false)) {
    fields.fail(ErrorCode::kUnsupported,
                "use_bidirectional_attention is set; Quire runs models that write text");
  }
}

void read_gemma2(JsonFields& fields, ModelConfig& config) {
  read_gemma(fields, 50.0, 30.0, config);
  const auto every_other = [](int layer, int) { return layer % 2 == 0; };
  read_layer_types(fields, 4096, every_other, 0, config);
}

void read_gemma3(JsonFields& fields, ModelConfig& config) {
  read_gemma(fields, 0.0, 0.0, config);
  if (config.attention_soft_cap != 0.0f) {  // Transformers reads it and does not apply it.
    fields.fail(ErrorCode::kUnsupported,
                "attn_logit_softcapping is set; Quire runs models of this kind without it");
  }
  config.qk_norm = QkNorm::kPerHead;
  const auto pattern = static_cast<int>(fields.integer("sliding_window_pattern", 1, 1 << 20, 6));
  const auto all_but_nth = [](int layer, int n) { return (layer + 1) % n != 0; };
  read_layer_types(fields, 4096, all_but_nth, pattern, config);
}

}  // namespace

/// Gemma 2 (arXiv:2408.00118): norms before and after each block, soft-caps, every other layer
/// local.
const Architecture kGemma2 = {.name = "gemma2",
                              .other_names = kGemma2Names,
                              .defaults = {.num_heads = 8,
                                           .num_kv_heads = 4,
                                           .head_dim = 256,
                                           .vocab_size = 256000,
                                           .max_positions = 8192,
                                           .tie_word_embeddings = true},
                              .read = read_gemma2,
                              .hugging_face_names = kGemmaTensorNames,
                              .norms_minus_one_in_hugging_face = true};

/// Gemma 3 (arXiv:2503.19786): normed queries and keys, five local layers for each global one, with
/// rotations of their own.
const Architecture kGemma3 = {.name = "gemma3",
                              .other_names = kGemma3Names,
                              .defaults = {.num_heads = 8,
                                           .num_kv_heads = 4,
                                           .head_dim = 256,
                                           .vocab_size = 262208,
                                           .max_positions = 131072,
                                           .tie_word_embeddings = true,
                                           .rope = {.theta = 1e6, .local_theta = 1e4}},
                              .read = read_gemma3,
                              .hugging_face_names = kGemmaTensorNames,
                              .norms_minus_one_in_hugging_face = true};

}  // namespace quire
