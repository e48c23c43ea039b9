#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

namespace quire {

/// Writes a LoRA adapter of the draft model as PEFT stores one: rank 4, of the queries and the down
/// projections, with random numbers.
inline void write_random_adapter(const std::filesystem::path& folder, uint32_t seed,
                                 const std::string& more_config = "") {
  constexpr int kLayers = 3, kRank = 4, kHidden = 128, kIntermediate = 384;
  struct Shape {
    const char* module;
    int inputs;
  };
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.0f, 0.1f);
  std::string header = "{";
  std::vector<float> data;
  const auto add = [&](const std::string& name, int rows, int columns) {
    const size_t begin = data.size() * sizeof(float);
    for (int i = 0; i < rows * columns; ++i) data.push_back(normal(random));
    header += (header.size() > 1 ? ",\"" : "\"") + name + "\":{\"dtype\":\"F32\",\"shape\":[" +
              std::to_string(rows) + "," + std::to_string(columns) + "],\"data_offsets\":[" +
              std::to_string(begin) + "," + std::to_string(data.size() * sizeof(float)) + "]}";
  };
  for (int layer = 0; layer < kLayers; ++layer) {
    for (const Shape& shape :
         {Shape{"self_attn.q_proj", kHidden}, Shape{"mlp.down_proj", kIntermediate}}) {
      const std::string name =
          "base_model.model.model.layers." + std::to_string(layer) + "." + shape.module;
      add(name + ".lora_A.weight", kRank, shape.inputs);
      add(name + ".lora_B.weight", kHidden, kRank);
    }
  }
  header += "}";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  std::filesystem::create_directories(folder);
  std::ofstream file(folder / "adapter_model.safetensors", std::ios::binary);
  const uint64_t size = header.size();
  file.write(reinterpret_cast<const char*>(&size), sizeof size);
  file << header;
  file.write(reinterpret_cast<const char*>(data.data()),
             static_cast<std::streamsize>(data.size() * sizeof(float)));
  std::ofstream(folder / "adapter_config.json")
      << "{\"peft_type\":\"LORA\",\"r\":4,\"lora_alpha\":8" << more_config << "}";
}

}  // namespace quire
