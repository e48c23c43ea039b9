#include "engine/models/weight_conventions.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>

#include "engine/models/architectures/architecture.h"
#include "kernels/base/checked.h"

namespace quire {
namespace {

constexpr std::string_view kModelPrefix = "model.";
constexpr std::string_view kHead = "lm_head";

/// Llama's names, which most architectures share.
constexpr TensorName kHuggingFaceNames[] = {
    {"token_embd", "model.embed_tokens"},
    {"output_norm", "model.norm"},
    {"output", kHead},
    {"attn_norm", "input_layernorm"},
    {"attn_q", "self_attn.q_proj"},
    {"attn_k", "self_attn.k_proj"},
    {"attn_v", "self_attn.v_proj"},
    {"attn_qkv", "self_attn.qkv_proj"},
    {"attn_q_norm", "self_attn.q_norm"},
    {"attn_k_norm", "self_attn.k_norm"},
    {"attn_output", "self_attn.o_proj"},
    {"attn_sinks.weight", "self_attn.sinks"},
    {"post_attention_norm", "post_attention_layernorm"},
    {"ffn_norm", "post_attention_layernorm"},
    {"ffn_gate", "mlp.gate_proj"},
    {"ffn_up", "mlp.up_proj"},
    {"ffn_down", "mlp.down_proj"},
    {"post_ffw_norm", "post_feedforward_layernorm"},
    {"ffn_gate_inp", "mlp.gate"},
    {"ffn_gate_exps", "mlp.experts.#.gate_proj"},
    {"ffn_up_exps", "mlp.experts.#.up_proj"},
    {"ffn_down_exps", "mlp.experts.#.down_proj"},
    {"ffn_gate_shexp", "mlp.shared_experts.gate_proj"},
    {"ffn_up_shexp", "mlp.shared_experts.up_proj"},
    {"ffn_down_shexp", "mlp.shared_experts.down_proj"},
    {"exp_probs_b.bias", "mlp.gate.e_score_correction_bias"},
    {"attn_gate", "self_attn.gate_proj"},
    {"ffn_gate_up_exps.weight", "mlp.experts.gate_up_proj"},
    {"per_layer_token_embd", "model.embed_tokens_per_layer"},
    {"per_layer_model_proj", "model.per_layer_model_projection"},
    {"per_layer_proj_norm", "model.per_layer_projection_norm"},
    {"inp_gate", "per_layer_input_gate"},
    {"proj", "per_layer_projection"},
    {"post_norm", "post_per_layer_input_norm"},
    {"nextn.eh_proj", "eh_proj"},
    {"nextn.enorm", "enorm"},
    {"nextn.hnorm", "hnorm"},
    {"nextn.embed_tokens", "embed_tokens"},
    {"nextn.shared_head_head", "shared_head.head"},
    {"nextn.shared_head_norm", "shared_head.norm"},
};

/// Llama's names, but the down projections of all experts of a layer in one tensor, as transformers
/// keeps them in memory. Gates and ups are then found in one tensor, too (has_experts()).
constexpr auto kNamesOfStacks = [] {
  std::array<TensorName, std::size(kHuggingFaceNames)> names = {};
  std::copy(std::begin(kHuggingFaceNames), std::end(kHuggingFaceNames), names.begin());
  for (TensorName& name : names) {
    if (name.own == "ffn_down_exps") name = {"ffn_down_exps.weight", "mlp.experts.down_proj"};
  }
  return names;
}();

bool stacks_experts(const WeightSource& source) {
  return std::ranges::any_of(source.tensors(), [](const TensorInfo& tensor) {
    return tensor.name.ends_with(".mlp.experts.down_proj");
  });
}

constexpr TensorName kQwenMtpNames[] = {
    {"nextn.eh_proj", "mtp.fc"},
    {"nextn.enorm", "mtp.pre_fc_norm_embedding"},
    {"nextn.hnorm", "mtp.pre_fc_norm_hidden"},
    {"nextn.shared_head_norm", "mtp.norm"},
};
constexpr TensorName kErnieMtpNames[] = {
    {"nextn.eh_proj", "model.mtp_linear_proj.#"},
    {"nextn.enorm", "model.mtp_emb_norm.#"},
    {"nextn.hnorm", "model.mtp_hidden_norm.#"},
};

}  // namespace

/// Where files keep layers for speculation apart from the decoder's.
struct MtpNames {
  std::string_view shown_by;  ///< A tensor that they have.
  std::string_view prefix;    ///< Of all their names.
  std::string_view layers;    ///< Of a layer's names, before its number.
  TensorNameList others;      ///< What stands elsewhere; '#' is the layer's number.
};

namespace {

constexpr MtpNames kMtpNames[] = {
    {"mtp.fc.weight", "mtp.", "mtp.layers.", kQwenMtpNames},
    {"model.mtp_linear_proj.0.weight", "model.mtp_", "model.mtp_block.", kErnieMtpNames},
};

/// The name by the first rule that fits; empty if none does.
std::string apply(TensorNameList rules, std::string_view own) {
  for (const TensorName& rule : rules) {
    if (own.substr(0, rule.own.size()) != rule.own) continue;
    const std::string_view rest = own.substr(rule.own.size());
    if (rest.empty() || rest.front() == '.') return std::string(rule.file) + std::string(rest);
  }
  return {};
}

}  // namespace

std::string TensorNames::of_expert(std::string file_name, int expert) {
  const size_t at = file_name.find('#');
  if (at != std::string::npos) file_name.replace(at, 1, std::to_string(expert));
  return file_name;
}

TensorNames TensorNames::of_gguf(const Architecture& architecture) {
  TensorNames names;
  names.m_exceptions = architecture.gguf_names;
  names.m_layer_prefix = "blk.";
  names.m_model_prefix = kModelPrefix;
  names.m_decoder_prefixes = {"blk.", "output", "token_embd", "per_layer_", "altup_"};
  names.m_head = names.in_file("output.weight");
  return names;
}

TensorNames TensorNames::of_hugging_face(const Architecture& architecture,
                                         const WeightSource& source) {
  TensorNames names;
  names.m_exceptions = architecture.hugging_face_names;
  names.m_names = stacks_experts(source) ? TensorNameList(kNamesOfStacks) : kHuggingFaceNames;
  names.m_layer_prefix = architecture.hugging_face_layers;
  names.m_model_prefix = kModelPrefix;
  for (const MtpNames& mtp : kMtpNames) {
    if (source.find(std::string(mtp.shown_by)) != nullptr) names.m_mtp = &mtp;
  }
  // Multimodal models keep their decoder under these prefixes, the oldest first.
  constexpr std::pair<const char*, const char*> kPrefixes[] = {
      {"language_model.model.", "language_model."}, {"model.language_model.", ""}};
  for (const auto& [model, head] : kPrefixes) {
    if (source.find(std::string(model) + "embed_tokens.weight") == nullptr) continue;
    names.m_model_prefix = model;
    names.m_head_prefix = head;
  }
  names.m_decoder_prefixes = {names.m_model_prefix, names.m_head_prefix + std::string(kHead)};
  // Files that were saved without the head lack the model's own prefix.
  const std::string embedding = names.in_file("token_embd.weight");
  const std::string base = embedding.substr(0, embedding.find('.') + 1);
  if (base != kModelPrefix) names.m_decoder_prefixes.push_back(base);
  const std::string rest = embedding.substr(base.size());
  if (source.find(embedding) == nullptr && source.find(rest) != nullptr) {
    names.m_omitted_prefix = base;
    names.m_decoder_prefixes = {""};
  }
  names.m_head = names.in_file("output.weight");
  return names;
}

std::string TensorNames::in_file(std::string_view own) const {
  std::string name = translate(own);
  if (!m_omitted_prefix.empty() && name.starts_with(m_omitted_prefix)) {
    return name.substr(m_omitted_prefix.size());
  }
  if (name.starts_with(kHead)) return m_head_prefix + name;
  if (!name.starts_with(kModelPrefix)) return name;
  return m_model_prefix + name.substr(kModelPrefix.size());
}

std::string TensorNames::in_file(std::string_view own, int expert) const {
  return of_expert(in_file(own), expert);
}

bool TensorNames::changes_results(std::string_view file_name) const {
  // Old conversions stored how positions rotate.
  for (const char* table :
       {"rotary_emb.inv_freq", ".attn_rot_embd", ".attn_rot_embd.weight", ".attn.bias",
        ".attn.masked_bias", ".attention.bias", ".attention.masked_bias"}) {
    if (file_name.ends_with(table)) return false;
  }
  if (file_name == m_head) return false;
  if (is_speculative(file_name)) return m_reads_speculative;
  const auto begins = [&](const std::string& prefix) { return file_name.starts_with(prefix); };
  // If one of them is the name's beginning, it is the last that does not sort after the name: none
  // begins with another one. Trying them all would take seconds for thousands of layers.
  const auto after = m_left_out.upper_bound(file_name);
  if (after != m_left_out.begin() && file_name.starts_with(*std::prev(after))) return false;
  return std::ranges::any_of(m_decoder_prefixes, begins);
}

void TensorNames::add_speculative_layers(int first, int count, bool are_read) {
  m_reads_speculative = are_read;
  if (count > 0) m_first_speculative = first;
  if (count > 0 && has_mtp()) m_speculative_prefixes = {std::string(m_mtp->prefix)};
  for (int layer = 0; layer < count && !has_mtp(); ++layer) {
    m_speculative_prefixes.push_back(speculative_prefix(first, layer));
  }
}

std::string TensorNames::speculative_prefix(int first, int index) const {
  if (has_mtp()) return std::string(m_mtp->layers) + std::to_string(index) + ".";
  const std::string name = in_file("blk." + std::to_string(first + index) + ".x");
  return name.substr(0, name.size() - 1);
}

bool TensorNames::is_speculative(std::string_view file_name) const {
  const auto begins = [&](const std::string& prefix) { return file_name.starts_with(prefix); };
  return std::ranges::any_of(m_speculative_prefixes, begins);
}

/// A name within the layer `index` of those for speculation.
std::string TensorNames::translate_mtp(int index, std::string_view rest) const {
  std::string name = apply(m_mtp->others, rest);
  if (!name.empty()) return of_expert(std::move(name), index);
  name = apply(m_exceptions, rest);
  if (name.empty()) name = apply(m_names, rest);
  return speculative_prefix(m_first_speculative, index) + (name.empty() ? std::string(rest) : name);
}

void TensorNames::leave_out(const std::string& own) {
  m_left_out.insert(in_file(own) + ".");
}

std::string TensorNames::translate(std::string_view own) const {
  constexpr std::string_view kLayer = "blk.";
  std::string prefix;
  std::string_view rest = own;
  if (own.starts_with(kLayer)) {
    const size_t dot = own.find('.', kLayer.size());
    if (has_mtp()) {
      const int layer = std::atoi(own.data() + kLayer.size());  // The dot ends it.
      if (layer >= m_first_speculative) {
        return translate_mtp(layer - m_first_speculative, own.substr(dot + 1));
      }
    }
    prefix = m_layer_prefix + std::string(own.substr(kLayer.size(), dot + 1 - kLayer.size()));
    rest = own.substr(dot + 1);
  }
  std::string name = apply(m_exceptions, rest);
  if (name.empty()) name = apply(m_names, rest);
  return prefix + (name.empty() ? std::string(rest) : name);
}

StoredNumbers stored_numbers(const TensorInfo& tensor) {
  std::optional<int64_t> count = 1;
  for (int64_t size : tensor.shape) {
    if (count) count = checked_multiply(*count, size);
  }
  const std::string_view name = tensor.name;
  if (name.ends_with("g_idx")) return {0, tensor.dtype};
  if (tensor.dtype != "U8") return {count, tensor.dtype};
  if (name.ends_with("_blocks")) {
    return {count ? checked_multiply<int64_t>(2, *count) : count, "MXFP4"};
  }
  if (name.ends_with("_scales")) return {0, "MXFP4"};
  return {count, tensor.dtype};
}

WeightConventions conventions_of(const Architecture& architecture, FileFormat format,
                                 const WeightSource& source) {
  if (format == FileFormat::kGguf) {
    return {.names = TensorNames::of_gguf(architecture),
            .rotates_pairs = architecture.rotates_pairs_in_gguf,
            .config_name = "its metadata",
            .format = FileFormat::kGguf};
  }
  return {.names = TensorNames::of_hugging_face(architecture, source),
          .rotates_pairs = architecture.rotates_pairs_in_hugging_face,
          .interleaves_qkv = architecture.interleaves_qkv_in_hugging_face,
          .norms_minus_one = architecture.norms_minus_one_in_hugging_face,
          .keeps_last_norm = architecture.keeps_last_norm_in_hugging_face,
          .transposes_linears = architecture.transposes_linears_in_hugging_face,
          .transposes_experts = architecture.transposes_experts_in_hugging_face,
          .stores_log_decays = true,
          .config_name = "config.json",
          .interleaves_experts = architecture.interleaves_experts_in_hugging_face};
}

}  // namespace quire
