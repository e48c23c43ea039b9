#include "tests/support/draft_like.h"

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

/// Rows of bf16 with a standard deviation of 0.3, so that answers vary.
std::string random_rows(int64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.0f, 0.3f);
  std::string bytes(static_cast<size_t>(2 * count), '\0');
  for (int64_t i = 0; i < count; ++i) {
    const uint16_t value = f32_to_bf16(normal(random));
    std::memcpy(bytes.data() + 2 * i, &value, sizeof value);
  }
  return bytes;
}

json read_json(const fs::path& path) {
  return json::parse(std::ifstream(path));
}

}  // namespace

void write_draft_like(const std::string& tiny_model, const fs::path& folder,
                      const DraftLikeOptions& options) {
  const fs::path source = fs::path(QUIRE_SOURCE_DIR) / "tests/data/models" / tiny_model;
  const fs::path draft = fs::path(QUIRE_SOURCE_DIR) / "resources/models/quire-mini-draft";
  fs::create_directories(folder);
  for (const char* name : {"generation_config.json", "tokenizer.model", "tokenizer_config.json",
                           "special_tokens_map.json"}) {
    fs::copy_file(draft / name, folder / name, fs::copy_options::overwrite_existing);
  }
  json config = read_json(source / "config.json");
  const json draft_config = read_json(draft / "config.json");
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
  writer.write(folder / "model.safetensors");
}

}  // namespace quire
