#include "tests/support/draft_like.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "engine/io/safetensors.h"
#include "kernels/base/dtype.h"

namespace quire {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int64_t kVocabulary = 4096;

struct Writer {
  json header = json::object();
  std::string data;

  void add(const std::string& name, const std::string& dtype, const std::vector<int64_t>& shape,
           std::string_view bytes) {
    header[name] = {{"dtype", dtype},
                    {"shape", shape},
                    {"data_offsets", {data.size(), data.size() + bytes.size()}}};
    data += bytes;
  }
  void write(const fs::path& path) const {
    const std::string text = header.dump();
    const uint64_t size = text.size();
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(&size), sizeof size);
    file << text << data;
    if (!file.flush()) std::abort();
  }
};

/// The bytes of the values in bf16.
std::string to_bf16(const std::vector<float>& values) {
  std::string bytes(2 * values.size(), '\0');
  for (size_t i = 0; i < values.size(); ++i) {
    const uint16_t value = f32_to_bf16(values[i]);
    std::memcpy(bytes.data() + 2 * i, &value, sizeof value);
  }
  return bytes;
}

/// `count` random numbers in bf16 with a standard deviation of 0.3, so that answers vary.
std::string random_rows(int64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.0f, 0.3f);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = normal(random);
  return to_bf16(values);
}

json read_json(const fs::path& path) {
  return json::parse(std::ifstream(path));
}

fs::path draft_folder() {
  return fs::path(QUIRE_SOURCE_DIR) / "resources/models/quire-mini-draft";
}

void copy_tokenizer(const fs::path& folder) {
  for (const char* name : {"generation_config.json", "tokenizer.model", "tokenizer_config.json",
                           "special_tokens_map.json"}) {
    fs::copy_file(draft_folder() / name, folder / name, fs::copy_options::overwrite_existing);
  }
}

/// Adds a layer for multi-token prediction with random weights and the shapes of layer `like`. It
/// has Qwen's names if the model has gated delta nets, otherwise DeepSeek's.
void add_mtp(Writer& writer, const WeightSource& weights, int like, int num_layers, int64_t width) {
  const bool is_qwen = weights.find("model.layers.0.linear_attn.A_log") != nullptr;
  const std::string from = "model.layers." + std::to_string(like) + ".";
  const std::string to =
      is_qwen ? "mtp.layers.0." : "model.layers." + std::to_string(num_layers) + ".";
  uint32_t seed = 1000;
  for (const TensorInfo& tensor : weights.tensors()) {
    if (!tensor.name.starts_with(from)) continue;
    int64_t count = 1;
    for (const int64_t n : tensor.shape) count *= n;
    writer.add(to + tensor.name.substr(from.size()), "BF16", tensor.shape,
               random_rows(count, ++seed));
  }
  writer.add(is_qwen ? "mtp.fc.weight" : to + "eh_proj.weight", "BF16", {width, 2 * width},
             random_rows(2 * width * width, ++seed));
  const std::string norms[] = {is_qwen ? "mtp.pre_fc_norm_embedding" : to + "enorm",
                               is_qwen ? "mtp.pre_fc_norm_hidden" : to + "hnorm",
                               is_qwen ? "mtp.norm" : to + "shared_head.norm"};
  for (const std::string& norm : norms) {
    writer.add(norm + ".weight", "BF16", {width}, random_rows(width, ++seed));
  }
}

/// The hidden size of the counting model (write_counting_model()).
constexpr int64_t kWidth = 64;
/// The length of the rows of its head: the larger, the likelier the next id is than others.
constexpr float kSureness = 1.5f;

/// (V, C): random directions of length 1.
std::vector<float> directions() {
  std::mt19937 random(20261126);
  std::normal_distribution<float> normal;
  std::vector<float> rows(static_cast<size_t>(kVocabulary * kWidth));
  for (int64_t row = 0; row < kVocabulary; ++row) {
    float* const x = rows.data() + row * kWidth;
    double length = 0;
    for (int64_t i = 0; i < kWidth; ++i) {
      x[i] = normal(random);
      length += double{x[i]} * x[i];
    }
    for (int64_t i = 0; i < kWidth; ++i) x[i] /= static_cast<float>(std::sqrt(length));
  }
  return rows;
}

/// (V, C): row t is the direction of t - distance, times kSureness.
std::vector<float> counting_head(const std::vector<float>& rows, int64_t distance) {
  std::vector<float> head(rows.size());
  for (int64_t row = 0; row < kVocabulary; ++row) {
    const int64_t from = (row + kVocabulary - distance) % kVocabulary;
    for (int64_t i = 0; i < kWidth; ++i) {
      head[static_cast<size_t>(row * kWidth + i)] =
          kSureness * rows[static_cast<size_t>(from * kWidth + i)];
    }
  }
  return head;
}

/// Adds a decoder layer of Llama whose output is zero, so that it leaves the hidden state as it is.
void add_silent_layer(Writer& writer, const std::string& prefix) {
  const auto matrix = [&](const char* name, int64_t rows, bool is_silent) {
    const int64_t count = rows * kWidth;
    writer.add(prefix + name + ".weight", "BF16", {rows, kWidth},
               is_silent ? to_bf16(std::vector<float>(static_cast<size_t>(count), 0.0f))
                         : random_rows(count, 5));
  };
  for (const char* name : {"self_attn.q_proj", "mlp.gate_proj", "mlp.up_proj"}) {
    matrix(name, kWidth, false);
  }
  for (const char* name : {"self_attn.k_proj", "self_attn.v_proj"}) matrix(name, kWidth / 2, false);
  for (const char* name : {"self_attn.o_proj", "mlp.down_proj"}) matrix(name, kWidth, true);
  const std::string ones = to_bf16(std::vector<float>(static_cast<size_t>(kWidth), 1.0f));
  for (const char* name : {"input_layernorm", "post_attention_layernorm"}) {
    writer.add(prefix + name + ".weight", "BF16", {kWidth}, ones);
  }
}

}  // namespace

void write_draft_like(const std::string& tiny_model, const fs::path& folder,
                      const DraftLikeOptions& options) {
  const fs::path source = fs::path(QUIRE_SOURCE_DIR) / "tests/data/models" / tiny_model;
  fs::create_directories(folder);
  copy_tokenizer(folder);
  json config = read_json(source / "config.json");
  const json draft_config = read_json(draft_folder() / "config.json");
  config["vocab_size"] = kVocabulary;
  config["max_position_embeddings"] = options.max_positions;
  if (options.window > 0) {
    const bool has_chunks = config.contains("attention_chunk_size");
    config[has_chunks ? "attention_chunk_size" : "sliding_window"] = options.window;
  }
  for (const char* key : {"bos_token_id", "eos_token_id"}) config[key] = draft_config[key];
  std::ofstream(folder / "config.json") << config.dump(2);

  auto weights = SafetensorsWeights::open_file(source / "model.safetensors");
  if (!weights) std::abort();
  Writer writer;
  uint32_t seed = 7;
  for (const TensorInfo& tensor : (*weights)->tensors()) {
    if (tensor.name.ends_with("embed_tokens.weight") ||
        tensor.name.ends_with("embeddings.weight") || tensor.name == "lm_head.weight") {
      const int64_t width = tensor.shape[1];
      writer.add(tensor.name, "BF16", {kVocabulary, width},
                 random_rows(kVocabulary * width, ++seed));
      continue;
    }
    const auto view = (*weights)->tensor(tensor.name);
    if (!view) std::abort();
    writer.add(tensor.name, std::string(tensor.dtype), tensor.shape,
               {static_cast<const char*>(view->data()), static_cast<size_t>(tensor.bytes)});
  }
  if (options.mtp_like >= 0) {
    add_mtp(writer, **weights, options.mtp_like, config["num_hidden_layers"].get<int>(),
            config["hidden_size"].get<int64_t>());
  }
  writer.write(folder / "model.safetensors");
}

void write_draft_with_mtp(const fs::path& folder) {
  fs::create_directories(folder);
  copy_tokenizer(folder);
  json config = read_json(draft_folder() / "config.json");
  config["num_nextn_predict_layers"] = 1;
  std::ofstream(folder / "config.json") << config.dump(2);
  fs::copy_file(draft_folder() / "model.safetensors", folder / "model-1.safetensors");
  auto weights = SafetensorsWeights::open_file(draft_folder() / "model.safetensors");
  if (!weights) std::abort();
  const int num_layers = config["num_hidden_layers"].get<int>();
  Writer writer;
  add_mtp(writer, **weights, num_layers - 1, num_layers, config["hidden_size"].get<int64_t>());
  writer.write(folder / "model-2.safetensors");
  json files = json::object();
  for (const TensorInfo& tensor : (*weights)->tensors()) {
    files[tensor.name] = "model-1.safetensors";
  }
  for (const auto& [name, tensor] : writer.header.items()) files[name] = "model-2.safetensors";
  std::ofstream(folder / "model.safetensors.index.json") << json({{"weight_map", files}}).dump();
}

void write_counting_model(const fs::path& folder) {
  fs::create_directories(folder);
  copy_tokenizer(folder);
  json config = read_json(draft_folder() / "config.json");
  const json own = {
      {"vocab_size", kVocabulary}, {"hidden_size", kWidth},         {"intermediate_size", kWidth},
      {"num_hidden_layers", 1},    {"num_attention_heads", 2},      {"num_key_value_heads", 1},
      {"head_dim", kWidth / 2},    {"num_nextn_predict_layers", 1}, {"tie_word_embeddings", false}};
  config.update(own);
  std::ofstream(folder / "config.json") << config.dump(2);
  const std::vector<float> rows = directions();
  const std::string ones = to_bf16(std::vector<float>(static_cast<size_t>(kWidth), 1.0f));
  Writer writer;
  writer.add("model.embed_tokens.weight", "BF16", {kVocabulary, kWidth}, to_bf16(rows));
  writer.add("lm_head.weight", "BF16", {kVocabulary, kWidth}, to_bf16(counting_head(rows, 1)));
  writer.add("model.norm.weight", "BF16", {kWidth}, ones);
  add_silent_layer(writer, "model.layers.0.");
  const std::string layer = "model.layers.1.";
  add_silent_layer(writer, layer);
  std::vector<float> sum(static_cast<size_t>(2 * kWidth * kWidth), 0.0f);
  for (int64_t i = 0; i < kWidth; ++i) {
    const auto row = static_cast<size_t>(2 * kWidth * i);
    sum[row + static_cast<size_t>(i)] = sum[row + static_cast<size_t>(kWidth + i)] = 1.0f;
  }
  writer.add(layer + "eh_proj.weight", "BF16", {kWidth, 2 * kWidth}, to_bf16(sum));
  for (const char* norm : {"enorm", "hnorm", "shared_head.norm"}) {
    writer.add(layer + norm + ".weight", "BF16", {kWidth}, ones);
  }
  std::vector<float> head = counting_head(rows, 1);
  const std::vector<float> before = counting_head(rows, 2);
  for (size_t i = 0; i < head.size(); ++i) head[i] += before[i];
  writer.add(layer + "shared_head.head.weight", "BF16", {kVocabulary, kWidth}, to_bf16(head));
  writer.write(folder / "model.safetensors");
}

void write_counting_heads(const fs::path& folder) {
  fs::create_directories(folder);
  constexpr int kHeads = 4;
  std::ofstream(folder / "config.json")
      << json({{"medusa_num_heads", kHeads}, {"medusa_num_layers", 1}}).dump();
  const std::vector<float> rows = directions();
  Writer writer;
  for (int head = 0; head < kHeads; ++head) {
    const std::string prefix = std::to_string(head) + ".";
    writer.add(prefix + "0.linear.weight", "BF16", {kWidth, kWidth},
               to_bf16(std::vector<float>(static_cast<size_t>(kWidth * kWidth), 0.0f)));
    writer.add(prefix + "0.linear.bias", "BF16", {kWidth},
               to_bf16(std::vector<float>(static_cast<size_t>(kWidth), 0.0f)));
    writer.add(prefix + "1.weight", "BF16", {kVocabulary, kWidth},
               to_bf16(counting_head(rows, head + 2)));
  }
  writer.write(folder / "medusa_lm_head.safetensors");
}

}  // namespace quire
