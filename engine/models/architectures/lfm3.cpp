#include <nlohmann/json.hpp>

#include "engine/io/text.h"
#include "engine/models/architectures/architecture.h"
#include "engine/models/architectures/config_fields.h"

namespace quire {
namespace {

using nlohmann::json;

constexpr std::string_view kLfm3Names[] = {"Lfm3ForCausalLM", "lfm3"};
constexpr FieldAlias kLfm3FieldNames[] = {{"rms_norm_eps", "norm_eps"}};
constexpr TensorName kLfm3TensorNames[] = {{"output_norm", "model.embedding_norm"},
                                           {"attn_norm", "operator_norm"},
                                           {"post_attention_norm", "post_operator_norm"},
                                           {"ffn_norm", "ffn_norm"},
                                           {"post_ffw_norm", "post_ffn_norm"},
                                           {"shortconv.in_proj", "conv.in_proj"},
                                           {"shortconv.conv", "conv.conv"},
                                           {"shortconv.out_proj", "conv.out_proj"},
                                           {"ffn_gate", "feed_forward.w1"},
                                           {"ffn_up", "feed_forward.w3"},
                                           {"ffn_down", "feed_forward.w2"}};

constexpr std::string_view kConvType = "conv";
constexpr std::string_view kSlidingType = "sliding_attention";
constexpr std::string_view kFullType = "full_attention";

/// What a layer is where config.json has no list.
std::string_view default_layer_type(size_t layer) {
  if (layer % 4 == 2) return kFullType;
  return layer % 4 == 0 && layer > 0 ? kSlidingType : kConvType;
}

/// Convolutions, attention with a window, which takes rope 1, and attention to all tokens.
void read_lfm3_layers(JsonFields& fields, ModelConfig& config) {
  const json* const list = fields.find("layer_types");
  if (list != nullptr && (!list->is_array() || list->size() != config.layers.size())) {
    return fields.fail(
        ErrorCode::kCorruptFile,
        "layer_types is not a list of " + std::to_string(config.layers.size()) + " names");
  }
  read_window(fields, 256, config);
  for (size_t i = 0; i < config.layers.size(); ++i) {
    LayerConfig& layer = config.layers[i];
    std::string type(default_layer_type(i));
    if (list != nullptr)
      type = (*list)[i].is_string() ? (*list)[i].get<std::string>() : (*list)[i].dump();
    if (type == kSlidingType) {
      layer.rope = 1;
      continue;
    }
    layer.sliding_window = 0;
    if (type == kConvType) layer.mixer = MixerKind::kShortConv;
    if (type == kConvType || type == kFullType) continue;
    return fields.fail(ErrorCode::kUnsupported,
                       "layer_types holds \"" + for_message(type) +
                           "\"; Quire supports conv, sliding_attention and full_attention");
  }
}

void read_lfm3(JsonFields& fields, ModelConfig& config) {
  read_lfm3_layers(fields, config);
  read_short_convolutions(fields, 7, config);
  read_attention_bias(fields, false, config);
  config.qk_norm = QkNorm::kPerHead;
  config.has_output_gate = config.gates_whole_heads = fields.boolean("use_attention_gate", true);
  if (fields.boolean("use_sandwich_norm", true)) config.norm_placement = NormPlacement::kSandwich;
  // Half of a head's frequencies are 0 in layers without a window, which transformers always says.
  const json* const rope = fields.find("rope_parameters");
  if (rope == nullptr || !rope->is_object() || !rope->contains(kFullType)) {
    fields.fail(ErrorCode::kCorruptFile, "rope_parameters says nothing about full_attention");
  }
}

}  // namespace

/// LFM3: gated short convolutions, attention with and without a window, a gate for each head of
/// what is attended, norms around blocks.
const Architecture kLfm3 = {.name = "lfm3",
                            .other_names = kLfm3Names,
                            .defaults = {.num_heads = 16,
                                         .num_kv_heads = 4,
                                         .head_dim = 128,
                                         .vocab_size = 128000,
                                         .max_positions = 128000,
                                         .norm_eps = 1e-5,
                                         .tie_word_embeddings = true,
                                         .rope = {.theta = 1e6, .local_theta = 1e4}},
                            .field_names = kLfm3FieldNames,
                            .read = read_lfm3,
                            .has_gguf_layout = false,
                            .hugging_face_names = kLfm3TensorNames};

}  // namespace quire
