#include "tests/bench/random_gguf.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "kernels/base/check.h"
#include "tests/engine/io/gguf_builder.h"

namespace quire::bench {
namespace {

using test::GgufBuilder;

/// ggml's number of a type, and where its blocks keep their f16 scales (-1: nowhere).
struct BlockFormat {
  DType dtype;
  uint32_t ggml_type;
  int scale;
  int second_scale;
  float value;  ///< Of the scales: weights of about 0.03.
};
constexpr BlockFormat kFormats[] = {
    {DType::kF32, 0, -1, -1, 0.0f},        {DType::kF16, 1, -1, -1, 0.0f},
    {DType::kBF16, 30, -1, -1, 0.0f},      {DType::kQ4_0, 2, 0, -1, 0.006f},
    {DType::kQ4_1, 3, 0, 2, 0.006f},       {DType::kQ5_0, 6, 0, -1, 0.003f},
    {DType::kQ5_1, 7, 0, 2, 0.003f},       {DType::kQ8_0, 8, 0, -1, 0.0004f},
    {DType::kQ2_K, 10, 80, 82, 0.002f},    {DType::kQ3_K, 11, 108, -1, 0.0008f},
    {DType::kQ4_K, 12, 0, 2, 0.0002f},     {DType::kQ5_K, 13, 0, 2, 0.0001f},
    {DType::kQ6_K, 14, 208, -1, 0.00003f}, {DType::kIQ4_NL, 20, 0, -1, 0.0005f},
    {DType::kIQ4_XS, 23, 0, -1, 0.00003f}, {DType::kMXFP4, 39, -1, -1, 0.0f},
    {DType::kIQ2_XXS, 16, 0, -1, 0.0008f}, {DType::kIQ2_XS, 17, 0, -1, 0.0008f},
    {DType::kIQ2_S, 22, 0, -1, 0.0008f},   {DType::kIQ3_XXS, 18, 0, -1, 0.0003f},
    {DType::kIQ3_S, 21, 0, -1, 0.0003f},
};

const BlockFormat& format_of(DType dtype) {
  for (const BlockFormat& format : kFormats) {
    if (format.dtype == dtype) return format;
  }
  CHECK(false);
}

/// One block, or one element, of random bits whose value is small.
void fill_block(char* block, const BlockFormat& format, uint64_t random) {
  const auto put = [&](int offset, uint16_t bits) {
    if (offset >= 0) std::memcpy(block + offset, &bits, sizeof bits);
  };
  const float weight = (static_cast<float>(random % 2001) - 1000.0f) * 5e-5f;
  if (format.dtype == DType::kF32) std::memcpy(block, &weight, sizeof weight);
  if (format.dtype == DType::kF16) put(0, f32_to_f16(weight));
  if (format.dtype == DType::kBF16) put(0, f32_to_bf16(weight));
  if (format.dtype == DType::kMXFP4) block[0] = 122;  // 2^-5.
  put(format.scale, f32_to_f16(format.value));
  put(format.second_scale, f32_to_f16(format.value));
}

/// Some megabytes of blocks, of which every tensor is made: enough to defeat the caches.
std::string random_blocks(const BlockFormat& format) {
  constexpr size_t kBytes = size_t{4} << 20;
  const auto block_bytes = static_cast<size_t>(dtype_block_bytes(format.dtype));
  std::string bytes(kBytes / block_bytes * block_bytes, '\0');
  std::mt19937_64 random(7);
  for (size_t i = 0; i + 8 <= bytes.size(); i += 8) {
    const uint64_t bits = random();
    std::memcpy(bytes.data() + i, &bits, sizeof bits);
  }
  for (size_t at = 0; at < bytes.size(); at += block_bytes) {
    fill_block(bytes.data() + at, format, random());
  }
  return bytes;
}

/// The tensors that a file will hold, in order, with their places.
class TensorList {
 public:
  explicit TensorList(GgufBuilder& header) : m_header(header) {}

  void matrix(const std::string& name, DType dtype, int64_t rows, int64_t columns) {
    const BlockFormat& format = format_of(dtype);
    std::string& blocks = m_blocks[dtype];
    if (blocks.empty()) blocks = random_blocks(format);
    add(name, {static_cast<uint64_t>(columns), static_cast<uint64_t>(rows)}, format.ggml_type,
        {.bytes = static_cast<uint64_t>(rows * dtype_span_bytes(dtype, columns)),
         .blocks = &blocks});
  }
  void norm(const std::string& name, int64_t size) {
    add(name, {static_cast<uint64_t>(size)}, 0, {.bytes = static_cast<uint64_t>(size) * 4});
  }

  int64_t num_bytes() const { return static_cast<int64_t>(m_offset); }

  void write_data(std::ofstream& file) const {
    for (const Tensor& tensor : m_tensors) {
      if (!tensor.blocks) {
        const std::vector<float> ones(tensor.bytes / 4, 1.0f);
        file.write(reinterpret_cast<const char*>(ones.data()), static_cast<int64_t>(tensor.bytes));
      }
      for (uint64_t done = 0; tensor.blocks && done < tensor.bytes;) {
        const uint64_t count = std::min<uint64_t>(tensor.blocks->size(), tensor.bytes - done);
        file.write(tensor.blocks->data(), static_cast<int64_t>(count));
        done += count;
      }
      file.write(std::string(padded(tensor.bytes) - tensor.bytes, '\0').data(),
                 static_cast<int64_t>(padded(tensor.bytes) - tensor.bytes));
    }
  }

 private:
  struct Tensor {
    uint64_t bytes = 0;
    const std::string* blocks = nullptr;  ///< Of m_blocks; null: a norm.
  };
  static uint64_t padded(uint64_t bytes) { return (bytes + 31) / 32 * 32; }

  void add(const std::string& name, const std::vector<uint64_t>& sizes, uint32_t type,
           const Tensor& tensor) {
    m_header.entry(name, sizes, type, m_offset);
    m_tensors.push_back(tensor);
    m_offset += padded(tensor.bytes);
  }

  GgufBuilder& m_header;
  std::map<DType, std::string> m_blocks;
  std::vector<Tensor> m_tensors;
  uint64_t m_offset = 0;
};

void add_metadata(GgufBuilder& header, const ModelShape& shape) {
  header.string("general.architecture", "llama").string("general.name", "random");
  header.u32("llama.block_count", shape.num_layers).u32("llama.context_length", shape.context);
  header.u32("llama.embedding_length", shape.hidden_size);
  header.u32("llama.feed_forward_length", shape.intermediate_size);
  header.u32("llama.attention.head_count", shape.num_heads);
  header.u32("llama.attention.head_count_kv", shape.num_kv_heads);
  header.f32("llama.attention.layer_norm_rms_epsilon", 1e-5f);
  std::vector<std::string> tokens = {"<unk>", "<s>", "</s>"};
  std::vector<float> scores(3, 0.0f);
  std::vector<int32_t> types = {2, 3, 3};
  for (int i = 0; i < 256; ++i) {
    char name[8];
    std::snprintf(name, sizeof name, "<0x%02X>", i);
    tokens.emplace_back(name);
    types.push_back(6);
  }
  for (int i = static_cast<int>(tokens.size()); i < shape.vocab_size; ++i) {
    tokens.push_back("\xE2\x96\x81w" + std::to_string(i));
    types.push_back(1);
  }
  while (scores.size() < tokens.size()) scores.push_back(-static_cast<float>(scores.size()));
  header.string("tokenizer.ggml.model", "llama").strings("tokenizer.ggml.tokens", tokens);
  header.numbers("tokenizer.ggml.scores", 6, scores).numbers("tokenizer.ggml.token_type", 5, types);
  header.u32("tokenizer.ggml.bos_token_id", 1).u32("tokenizer.ggml.eos_token_id", 2);
}

/// Layers in which llama-quantize's mixes spend more bits: the first and the last eighth, and every
/// third of those between.
bool uses_more_bits(int layer, int num_layers) {
  const int eighth = num_layers / 8;
  return layer < eighth || layer >= 7 * num_layers / 8 || (layer - eighth) % 3 == 2;
}

void add_tensors(TensorList& list, const WeightMix& mix, const ModelShape& shape) {
  const int64_t hidden = shape.hidden_size;
  const int64_t kv = hidden / shape.num_heads * shape.num_kv_heads;
  const DType most = mix.matrices;
  list.matrix("token_embd.weight", most, shape.vocab_size, hidden);
  for (int i = 0; i < shape.num_layers; ++i) {
    const std::string prefix = "blk." + std::to_string(i) + ".";
    const DType chosen = uses_more_bits(i, shape.num_layers) ? mix.more_bits : most;
    list.norm(prefix + "attn_norm.weight", hidden);
    list.matrix(prefix + "attn_q.weight", most, hidden, hidden);
    list.matrix(prefix + "attn_k.weight", most, kv, hidden);
    list.matrix(prefix + "attn_v.weight", chosen, kv, hidden);
    list.matrix(prefix + "attn_output.weight", most, hidden, hidden);
    list.norm(prefix + "ffn_norm.weight", hidden);
    list.matrix(prefix + "ffn_gate.weight", most, shape.intermediate_size, hidden);
    list.matrix(prefix + "ffn_up.weight", most, shape.intermediate_size, hidden);
    list.matrix(prefix + "ffn_down.weight", chosen, hidden, shape.intermediate_size);
  }
  list.norm("output_norm.weight", hidden);
  if (mix.output) list.matrix("output.weight", *mix.output, shape.vocab_size, hidden);
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

int64_t bytes_per_token(const WeightMix& mix, const ModelShape& shape) {
  GgufBuilder unused;
  TensorList tensors(unused);
  add_tensors(tensors, mix, shape);
  const int64_t row = dtype_span_bytes(mix.matrices, shape.hidden_size);
  // The embedding that is tied is read whole, as the output.
  return tensors.num_bytes() - (mix.output ? (shape.vocab_size - 1) * row : 0);
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
