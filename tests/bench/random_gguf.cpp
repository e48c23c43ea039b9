#include "tests/bench/random_gguf.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "kernels/base/check.h"
#include "tests/bench/random_tensors.h"

namespace quire::bench {
namespace {

using test::GgufBuilder;

constexpr int kExpertsRead = 8, kExpertWidth = 768;
constexpr int kHeadDim = 128;       // Of a delta net's heads, MLA's and a mixture's.
constexpr int kGatedHeadDim = 256;  // Of a hybrid's attention.
constexpr int kLatent = 512, kRotated = 64, kQueryLatent = 768;
constexpr int kConvTaps = 4;

/// GGUF's name of the architecture.
const char* name_of(ModelFamily family) {
  switch (family) {
    case ModelFamily::kLlama:
      return "llama";
    case ModelFamily::kHybrid:
      return "qwen35";
    case ModelFamily::kLatent:
      return "deepseek2";
    case ModelFamily::kExperts:
      return "qwen3moe";
  }
  CHECK(false);
}

void add_vocabulary(GgufBuilder& header, int size) {
  std::vector<std::string> tokens = {"<unk>", "<s>", "</s>"};
  std::vector<float> scores(3, 0.0f);
  std::vector<int32_t> types = {2, 3, 3};
  for (int i = 0; i < 256; ++i) {
    char name[8];
    std::snprintf(name, sizeof name, "<0x%02X>", i);
    tokens.emplace_back(name);
    types.push_back(6);
  }
  for (int i = static_cast<int>(tokens.size()); i < size; ++i) {
    tokens.push_back("\xE2\x96\x81w" + std::to_string(i));
    types.push_back(1);
  }
  while (scores.size() < tokens.size()) scores.push_back(-static_cast<float>(scores.size()));
  header.string("tokenizer.ggml.model", "llama").strings("tokenizer.ggml.tokens", tokens);
  header.numbers("tokenizer.ggml.scores", 6, scores).numbers("tokenizer.ggml.token_type", 5, types);
  header.u32("tokenizer.ggml.bos_token_id", 1).u32("tokenizer.ggml.eos_token_id", 2);
}

void add_family_metadata(GgufBuilder& header, const std::string& prefix, const ModelShape& shape) {
  switch (shape.family) {
    case ModelFamily::kLlama:
      break;
    case ModelFamily::kHybrid:
      header.u32(prefix + "attention.key_length", kGatedHeadDim);
      header.u32(prefix + "attention.value_length", kGatedHeadDim);
      header.u32(prefix + "rope.dimension_count", kGatedHeadDim / 4);
      header.numbers(prefix + "rope.dimension_sections", 5, std::vector<int32_t>{11, 11, 10, 0});
      header.u32(prefix + "full_attention_interval", 4);
      header.u32(prefix + "ssm.conv_kernel", kConvTaps).u32(prefix + "ssm.state_size", kHeadDim);
      header.u32(prefix + "ssm.group_count", shape.hidden_size / kHeadDim);
      header.u32(prefix + "ssm.time_step_rank", shape.hidden_size / kHeadDim);
      header.u32(prefix + "ssm.inner_size", shape.hidden_size);
      break;
    case ModelFamily::kLatent:
      header.u32(prefix + "attention.key_length", kLatent + kRotated);
      header.u32(prefix + "attention.value_length", kLatent);
      header.u32(prefix + "attention.key_length_mla", kHeadDim + kRotated);
      header.u32(prefix + "attention.value_length_mla", kHeadDim);
      header.u32(prefix + "attention.q_lora_rank", kQueryLatent);
      header.u32(prefix + "attention.kv_lora_rank", kLatent);
      header.u32(prefix + "rope.dimension_count", kRotated);
      header.u32(prefix + "leading_dense_block_count", shape.num_layers);
      header.u32(prefix + "expert_count", kExpertsRead).u32(prefix + "expert_used_count", 1);
      header.u32(prefix + "expert_feed_forward_length", kExpertWidth);
      header.u32(prefix + "expert_shared_count", 1).f32(prefix + "expert_weights_scale", 1.0f);
      header.u32(prefix + "vocab_size", shape.vocab_size);
      break;
    case ModelFamily::kExperts:
      header.u32(prefix + "attention.key_length", kHeadDim);
      header.u32(prefix + "attention.value_length", kHeadDim);
      header.u32(prefix + "expert_count", shape.num_experts);
      header.u32(prefix + "expert_used_count", kExpertsRead);
      header.u32(prefix + "expert_feed_forward_length", kExpertWidth);
      break;
  }
}

void add_metadata(GgufBuilder& header, const ModelShape& shape) {
  const std::string name = name_of(shape.family), prefix = name + ".";
  header.string("general.architecture", name).string("general.name", "random");
  header.u32(prefix + "block_count", shape.num_layers)
      .u32(prefix + "context_length", shape.context);
  header.u32(prefix + "embedding_length", shape.hidden_size);
  header.u32(prefix + "feed_forward_length", shape.intermediate_size);
  header.u32(prefix + "attention.head_count", shape.num_heads);
  header.u32(prefix + "attention.head_count_kv", shape.num_kv_heads);
  header.f32(prefix + "attention.layer_norm_rms_epsilon", 1e-5f);
  add_family_metadata(header, prefix, shape);
  add_vocabulary(header, shape.vocab_size);
}

/// Layers in which llama-quantize's mixes spend more bits: the first and the last eighth, and every
/// third of those between.
bool uses_more_bits(int layer, int num_layers) {
  const int eighth = num_layers / 8;
  return layer < eighth || layer >= 7 * num_layers / 8 || (layer - eighth) % 3 == 2;
}

/// Adds the tensors of one layer.
class LayerWriter {
 public:
  LayerWriter(TensorList& list, const WeightMix& mix, const ModelShape& shape, int layer)
      : m_list(list),
        m_shape(shape),
        m_prefix("blk." + std::to_string(layer) + "."),
        m_most(mix.matrices),
        m_chosen(uses_more_bits(layer, shape.num_layers) ? mix.more_bits : mix.matrices),
        m_is_recurrent(shape.family == ModelFamily::kHybrid && (layer + 1) % 4 != 0) {}

  void write() {
    norm("attn_norm", m_shape.hidden_size);
    if (m_shape.family == ModelFamily::kLatent)
      write_latent_attention();
    else if (m_is_recurrent)
      write_delta_net();
    else
      write_attention();
    norm(m_shape.family == ModelFamily::kHybrid ? "post_attention_norm" : "ffn_norm",
         m_shape.hidden_size);
    if (m_shape.family == ModelFamily::kExperts)
      write_experts();
    else
      write_mlp();
  }

 private:
  void norm(const std::string& name, int64_t size) {
    m_list.norm(m_prefix + name + ".weight", size);
  }
  void matrix(const std::string& name, DType dtype, int64_t rows, int64_t columns) {
    m_list.matrix(m_prefix + name + ".weight", dtype, rows, columns);
  }

  void write_attention() {
    const int64_t hidden = m_shape.hidden_size;
    const bool is_llama = m_shape.family == ModelFamily::kLlama;
    const bool is_gated = m_shape.family == ModelFamily::kHybrid;
    const int64_t head = is_llama   ? hidden / m_shape.num_heads
                         : is_gated ? kGatedHeadDim
                                    : kHeadDim;
    const int64_t queries = head * m_shape.num_heads, keys = head * m_shape.num_kv_heads;
    matrix("attn_q", m_most, is_gated ? 2 * queries : queries, hidden);
    matrix("attn_k", m_most, keys, hidden);
    matrix("attn_v", m_chosen, keys, hidden);
    matrix("attn_output", m_most, hidden, queries);
    if (is_llama) return;
    norm("attn_q_norm", head);
    norm("attn_k_norm", head);
  }

  void write_delta_net() {
    const int64_t hidden = m_shape.hidden_size, heads = hidden / kHeadDim;
    matrix("attn_qkv", m_most, 3 * hidden, hidden);
    matrix("attn_gate", m_most, hidden, hidden);
    matrix("ssm_conv1d", DType::kF32, 3 * hidden, kConvTaps);
    matrix("ssm_alpha", m_most, heads, hidden);
    matrix("ssm_beta", m_most, heads, hidden);
    matrix("ssm_out", m_most, hidden, hidden);
    m_list.norm(m_prefix + "ssm_dt.bias", heads);
    m_list.norm(m_prefix + "ssm_a", heads, -1.0f);
    norm("ssm_norm", kHeadDim);
  }

  void write_latent_attention() {
    const int64_t hidden = m_shape.hidden_size, heads = m_shape.num_heads;
    // Rows of 128 are no whole blocks of 256.
    const DType narrow = dtype_block_elements(m_most) > kHeadDim ? DType::kQ8_0 : m_most;
    matrix("attn_q_a", m_most, kQueryLatent, hidden);
    norm("attn_q_a_norm", kQueryLatent);
    matrix("attn_q_b", m_most, heads * (kHeadDim + kRotated), kQueryLatent);
    matrix("attn_kv_a_mqa", m_most, kLatent + kRotated, hidden);
    norm("attn_kv_a_norm", kLatent);
    m_list.stacked(m_prefix + "attn_k_b.weight", narrow, heads, kLatent, kHeadDim, heads);
    m_list.stacked(m_prefix + "attn_v_b.weight", m_most, heads, kHeadDim, kLatent, heads);
    matrix("attn_output", m_most, hidden, heads * kHeadDim);
  }

  void write_mlp() {
    matrix("ffn_gate", m_most, m_shape.intermediate_size, m_shape.hidden_size);
    matrix("ffn_up", m_most, m_shape.intermediate_size, m_shape.hidden_size);
    matrix("ffn_down", m_chosen, m_shape.hidden_size, m_shape.intermediate_size);
  }

  void write_experts() {
    const int64_t count = m_shape.num_experts, hidden = m_shape.hidden_size;
    matrix("ffn_gate_inp", DType::kF32, count, hidden);
    for (const char* name : {"ffn_gate_exps.weight", "ffn_up_exps.weight"}) {
      m_list.stacked(m_prefix + name, m_most, count, kExpertWidth, hidden, kExpertsRead);
    }
    m_list.stacked(m_prefix + "ffn_down_exps.weight", m_chosen, count, hidden, kExpertWidth,
                   kExpertsRead);
  }

  TensorList& m_list;
  const ModelShape& m_shape;
  std::string m_prefix;
  DType m_most, m_chosen;
  bool m_is_recurrent;
};

void add_tensors(TensorList& list, const WeightMix& mix, const ModelShape& shape) {
  list.matrix("token_embd.weight", mix.matrices, shape.vocab_size, shape.hidden_size);
  for (int i = 0; i < shape.num_layers; ++i) LayerWriter(list, mix, shape, i).write();
  list.norm("output_norm.weight", shape.hidden_size);
  if (mix.output) list.matrix("output.weight", *mix.output, shape.vocab_size, shape.hidden_size);
}

}  // namespace

std::optional<WeightMix> weight_mix(std::string_view name) {
  using enum DType;
  const std::pair<const char*, WeightMix> mixes[] = {
      {"F16", {kF16, kF16, kF16}},        {"BF16", {kBF16, kBF16, kBF16}},
      {"Q4_0", {kQ4_0, kQ4_0, kQ6_K}},    {"Q8_0", {kQ8_0, kQ8_0, kQ8_0}},
      {"Q6_K", {kQ6_K, kQ6_K, kQ6_K}},    {"Q4_K_M", {kQ4_K, kQ6_K, kQ6_K}},
      {"Q5_K_M", {kQ5_K, kQ6_K, kQ6_K}},  {"IQ3_S", {kIQ3_S, kQ4_K, kQ6_K}},
      {"IQ2_S", {kIQ2_S, kIQ3_S, kQ6_K}},
  };
  for (const auto& [known, mix] : mixes) {
    if (name == known) return mix;
  }
  return std::nullopt;
}

std::optional<ModelShape> model_shape(std::string_view name) {
  const std::pair<const char*, ModelShape> shapes[] = {
      {"llama", {}},
      {"hybrid",
       {.family = ModelFamily::kHybrid,
        .num_heads = 8,
        .num_kv_heads = 2,
        .intermediate_size = 6144}},
      {"mla", {.family = ModelFamily::kLatent, .num_heads = 16, .num_kv_heads = 1}},
      {"moe",
       {.family = ModelFamily::kExperts, .num_layers = 4, .num_kv_heads = 4, .num_experts = 128}},
  };
  for (const auto& [known, shape] : shapes) {
    if (name == known) return shape;
  }
  return std::nullopt;
}

int64_t bytes_per_token(const WeightMix& mix, const ModelShape& shape) {
  GgufBuilder unused;
  TensorList tensors(unused);
  add_tensors(tensors, mix, shape);
  const int64_t row = dtype_span_bytes(mix.matrices, shape.hidden_size);
  // The embedding that is tied is read whole, as the output.
  return tensors.bytes_read() - (mix.output ? (shape.vocab_size - 1) * row : 0);
}

void write_random_gguf(const std::filesystem::path& path, const WeightMix& mix,
                       const ModelShape& shape) {
  GgufBuilder header;
  add_metadata(header, shape);
  TensorList tensors(header);
  add_tensors(tensors, mix, shape);
  std::ofstream file(path, std::ios::binary);
  const std::string head = header.build();
  file.write(head.data(), static_cast<int64_t>(head.size()));
  tensors.write_data(file);
  file.close();
  if (file) return;
  std::fprintf(stderr, "%s cannot be written; is the disk full?\n", path.c_str());
  std::exit(1);
}

void write_random_gguf(const std::filesystem::path& path, DType dtype, const ModelShape& shape) {
  write_random_gguf(path, {.matrices = dtype, .more_bits = dtype, .output = {}}, shape);
}

}  // namespace quire::bench
