#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/io/text.h"
#include "engine/models/architectures/architecture.h"
#include "engine/models/architectures/config_fields.h"

namespace quire {
namespace {

using nlohmann::json;

constexpr std::string_view kNemotronNames[] = {"NemotronHForCausalLM", "nemotron_h"};
constexpr FieldAlias kNemotronFields[] = {
    {"rms_norm_eps", "layer_norm_epsilon"}, {"head_dim", "attention_head_dim"},
    {"layer_types", "layers_block_type"},   {"mamba_n_heads", "mamba_num_heads"},
    {"mamba_d_head", "mamba_head_dim"},     {"mamba_n_groups", "n_groups"},
    {"mamba_d_state", "ssm_state_size"},    {"mamba_d_conv", "conv_kernel"},
    {"mamba_conv_bias", "use_conv_bias"},   {"mamba_proj_bias", "use_bias"}};
constexpr TensorName kNemotronTensorNames[] = {
    {"token_embd", "backbone.embeddings"},
    {"output_norm", "backbone.norm_f"},
    {"attn_norm", "norm"},
    {"attn_q", "mixer.q_proj"},
    {"attn_k", "mixer.k_proj"},
    {"attn_v", "mixer.v_proj"},
    {"attn_output", "mixer.o_proj"},
    {"ssm_in", "mixer.in_proj"},
    {"ssm_conv1d", "mixer.conv1d"},
    {"ssm_a", "mixer.A_log"},
    {"ssm_d", "mixer.D"},
    {"ssm_dt.bias", "mixer.dt_bias"},
    {"ssm_norm", "mixer.norm"},
    {"ssm_out", "mixer.out_proj"},
    {"ffn_up", "mixer.up_proj"},
    {"ffn_down", "mixer.down_proj"},
    {"ffn_gate_inp", "mixer.gate"},
    {"exp_probs_b.bias", "mixer.gate.e_score_correction_bias"},
    {"ffn_latent_down", "mixer.fc1_latent_proj"},
    {"ffn_latent_up", "mixer.fc2_latent_proj"},
    {"ffn_up_exps", "mixer.experts.#.up_proj"},
    {"ffn_down_exps", "mixer.experts.#.down_proj"},
    {"ffn_up_shexp", "mixer.shared_experts.up_proj"},
    {"ffn_down_shexp", "mixer.shared_experts.down_proj"}};

/// What a layer's only block is called: in lists of today and of earlier files, and in patterns.
struct BlockName {
  std::string_view name, old_name, letter;
  LayerConfig layer;
};
constexpr BlockName kBlocks[] = {
    {"linear_attention", "mamba", "M", {.mixer = MixerKind::kMamba2, .has_feed_forward = false}},
    {"full_attention", "attention", "*", {.has_feed_forward = false}},
    {"mlp", "mlp", "-", {.mixer = MixerKind::kNone}},
    {"moe", "moe", "E", {.mixer = MixerKind::kNone, .has_experts = true}}};

constexpr char kBlockPattern[] = "hybrid_override_pattern";

/// The layers' names, or their letters in the pattern of older files; empty and an error if their
/// number is another than the layers'.
std::vector<std::string> block_names(JsonFields& fields, size_t num_layers) {
  std::vector<std::string> names;
  const json* const list = fields.find("layer_types");
  if (list != nullptr && list->is_array()) {
    for (const json& item : *list) {
      names.push_back(item.is_string() ? item.get<std::string>() : item.dump());
    }
  } else if (list == nullptr) {
    for (char letter : fields.string(kBlockPattern)) names.emplace_back(1, letter);
  }
  if (names.size() == num_layers) return names;
  fields.fail(ErrorCode::kCorruptFile,
              std::string(list != nullptr ? "layers_block_type" : kBlockPattern) +
                  " does not name " + std::to_string(num_layers) + " layers");
  return {};
}

void read_blocks(JsonFields& fields, ModelConfig& config) {
  const std::vector<std::string> names = block_names(fields, config.layers.size());
  for (size_t i = 0; i < names.size(); ++i) {
    const auto found = std::ranges::find_if(kBlocks, [&](const BlockName& block) {
      return names[i] == block.name || names[i] == block.old_name || names[i] == block.letter;
    });
    if (found == std::end(kBlocks)) {
      return fields.fail(ErrorCode::kUnsupported,
                         "a layer is called \"" + for_message(names[i]) +
                             "\"; Quire supports linear_attention, full_attention, mlp and moe");
    }
    config.layers[i] = found->layer;
    config.layers[i].rope = -1;
  }
}

void read_latent_experts(JsonFields& fields, ModelConfig& config) {
  read_expert_sizes(
      fields, {.num_experts = "n_routed_experts", .intermediate_size = "moe_intermediate_size"},
      config);
  read_sigmoid_routing(fields, config);
  ExpertsConfig& experts = config.experts;
  experts.latent_size = static_cast<int>(fields.integer("moe_latent_size", 0, 1 << 20, 0));
  experts.shared_intermediate_size =
      static_cast<int>(fields.integer("moe_shared_expert_intermediate_size", 1, 1 << 22, 7688));
}

void read_nemotron_h(JsonFields& fields, ModelConfig& config) {
  read_plain_activation(fields, "mlp_hidden_act", "relu2", config);
  refuse_other_than_silu(fields, "mamba_hidden_act");
  read_attention_bias(fields, false, config);
  read_mlp_bias(fields, config);
  const int64_t inner = fields.integer("mamba_n_heads", 1, 1 << 14, 128) *
                        fields.integer("mamba_d_head", 1, 4096, 64);
  read_scan(fields, {.inner_size = inner, .default_groups = 8, .default_state = 128}, config);
  read_blocks(fields, config);
  const bool has_experts = std::ranges::any_of(config.layers, &LayerConfig::has_experts);
  if (!fields.error() && has_experts) read_latent_experts(fields, config);
}

constexpr ConfigDefaults kNemotronDefaults = {.num_heads = 32,
                                              .num_kv_heads = 8,
                                              .head_dim = 128,
                                              .vocab_size = 131072,
                                              .max_positions = 4096,
                                              .norm_eps = 1e-5};

}  // namespace

/// Nemotron-H, Nemotron Nano 2 and Nemotron 3: layers of one block each, most of them Mamba 2;
/// attention does not rotate. Time steps are not limited below, as in the models' own code.
const Architecture kNemotronH = {.name = "nemotron_h",
                                 .other_names = kNemotronNames,
                                 .defaults = kNemotronDefaults,
                                 .field_names = kNemotronFields,
                                 .read = read_nemotron_h,
                                 .hugging_face_names = kNemotronTensorNames,
                                 .hugging_face_layers = "backbone.layers.",
                                 .never_ties_in_hugging_face = true};

/// What GGUF calls those with experts.
const Architecture kNemotronHMoe = {.name = "nemotron_h_moe",
                                    .other_names = {},
                                    .defaults = kNemotronDefaults,
                                    .field_names = kNemotronFields,
                                    .read = read_nemotron_h,
                                    .hugging_face_names = kNemotronTensorNames,
                                    .hugging_face_layers = "backbone.layers."};

}  // namespace quire
