#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/models/architectures/architecture.h"
#include "engine/models/architectures/config_fields.h"

namespace quire {
namespace {

constexpr std::string_view kLlama4Names[] = {"Llama4ForConditionalGeneration", "Llama4ForCausalLM",
                                             "llama4_text"};
constexpr TensorName kLlama4TensorNames[] = {
    {"ffn_gate", "feed_forward.gate_proj"},
    {"ffn_up", "feed_forward.up_proj"},
    {"ffn_down", "feed_forward.down_proj"},
    {"ffn_gate_inp", "feed_forward.router"},
    {"ffn_gate_up_exps.weight", "feed_forward.experts.gate_up_proj"},
    {"ffn_down_exps.weight", "feed_forward.experts.down_proj"},
    {"ffn_gate_shexp", "feed_forward.shared_expert.gate_proj"},
    {"ffn_up_shexp", "feed_forward.shared_expert.up_proj"},
    {"ffn_down_shexp", "feed_forward.shared_expert.down_proj"}};

/// The layers that `layer_types` calls chunked_attention, or else those that rotate.
void read_chunks(JsonFields& fields, ModelConfig& config) {
  const bool has_none = fields.is_null("attention_chunk_size");
  const auto chunk =
      static_cast<int>(fields.integer("attention_chunk_size", 0, 1 << 28, has_none ? 0 : 8192));
  const nlohmann::json* const types = fields.find("layer_types");
  const bool has_types = types != nullptr && types->is_array() && !types->empty();
  if (has_types && types->size() != config.layers.size()) {
    return fields.fail(ErrorCode::kCorruptFile,
                       "layer_types is not a list with an entry for each layer");
  }
  for (size_t i = 0; i < config.layers.size(); ++i) {
    LayerConfig& layer = config.layers[i];
    if (has_types && (*types)[i] != "chunked_attention" && (*types)[i] != "full_attention") {
      return fields.fail(ErrorCode::kUnsupported,
                         "layer_types holds something else than chunked_attention and "
                         "full_attention");
    }
    const bool is_chunked = has_types ? (*types)[i] == "chunked_attention" : layer.rope >= 0;
    layer.chunk_size = is_chunked ? chunk : 0;
  }
}

/// Queries of layers without rotation grow with their positions (arXiv:2501.19399).
void read_temperature(JsonFields& fields, ModelConfig& config) {
  // The first files have a number, which means no more than true.
  const nlohmann::json* const tuning = fields.find("attn_temperature_tuning");
  const bool is_number = tuning != nullptr && tuning->is_number();
  if (is_number ? *tuning == 0 : !fields.boolean("attn_temperature_tuning", true)) return;
  config.query_scale = {
      .beta = static_cast<float>(fields.number("attn_scale", 0.0, 1e3, 0.1)),
      .interval = static_cast<int>(fields.integer("floor_scale", 1, 1 << 28, 8192)),
      .offset = 1};
  for (LayerConfig& layer : config.layers) layer.scales_queries = layer.rope < 0;
}

/// Experts in the layers of `moe_layers`, or else in every nth.
void read_expert_layers(JsonFields& fields, ModelConfig& config) {
  const auto count = static_cast<int64_t>(config.layers.size());
  const std::vector<int64_t> listed = fields.integers("moe_layers", 0, count - 1);
  const int64_t step = fields.integer("interleave_moe_layer_step", 1, 1 << 20, 1);
  for (int64_t i = 0; i < count; ++i) {
    const bool is_listed = std::ranges::find(listed, i) != listed.end();
    config.layers[static_cast<size_t>(i)].has_experts =
        fields.has("moe_layers") ? is_listed : (i + 1) % step == 0;
  }
}

/// `intermediate_size` is that of an expert and of the MLP that all tokens share.
void read_mixture(JsonFields& fields, ModelConfig& config) {
  read_experts(fields, {.default_experts_per_token = 1}, config);
  ExpertsConfig& experts = config.experts;
  experts.route = {.scoring = RouteParams::Scoring::kSigmoid};
  experts.scales_inputs = true;
  experts.shared_intermediate_size = experts.intermediate_size;
  config.intermediate_size =
      static_cast<int>(fields.integer("intermediate_size_mlp", 1, 1 << 22, 16384));
  read_expert_layers(fields, config);
}

void read_llama4(JsonFields& fields, ModelConfig& config) {
  read_activation(fields, "hidden_act", "silu", config);
  read_attention_bias(fields, false, config);
  config.norms_after_rotation = true;
  if (fields.boolean("use_qk_norm", true)) config.qk_norm = QkNorm::kUnweighted;
  read_no_rope_layers(fields, config);
  read_chunks(fields, config);
  read_temperature(fields, config);
  read_mixture(fields, config);
}

}  // namespace

/// Llama 4: attention within chunks in the layers that rotate, every fourth without positions;
/// experts whose inputs are scaled by a router's sigmoids, and one that all tokens share.
const Architecture kLlama4 = {.name = "llama4",
                              .other_names = kLlama4Names,
                              .defaults = {.num_heads = 40,
                                           .num_kv_heads = 8,
                                           .head_dim = 128,
                                           .vocab_size = 202048,
                                           .max_positions = 131072,
                                           .norm_eps = 1e-5,
                                           .rope = {.theta = 500000.0}},
                              .read = read_llama4,
                              .hugging_face_names = kLlama4TensorNames,
                              .rotates_pairs_in_gguf = true,
                              .rotates_pairs_in_hugging_face = true,
                              .transposes_experts_in_hugging_face = true};

}  // namespace quire
