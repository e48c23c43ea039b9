#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/engine/io/safetensors_builder.h"

/// Layers of quantised folders and what their weights are, written by the formulas of the formats'
/// packages.
namespace quire::test {

/// A safetensors file that grows tensor by tensor.
class TensorFile {
 public:
  template <typename Number>
  void add(const std::string& name, const char* dtype, const std::vector<int>& shape,
           const std::vector<Number>& numbers) {
    const size_t begin = m_data.size();
    m_data.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number));
    m_header[name] = {{"dtype", dtype}, {"shape", shape}, {"data_offsets", {begin, m_data.size()}}};
  }
  void write(const std::filesystem::path& folder, const nlohmann::json& config) const {
    write_file(folder / "model.safetensors", safetensors_file(m_header.dump(), 0) + m_data);
    write_file(folder / "config.json", config.dump());
  }

 private:
  nlohmann::json m_header;
  std::string m_data;
};

/// A linear layer of N outputs and K inputs, and what its weights are.
struct Layer {
  std::string base;  ///< "model.layers.0.mlp.up_proj."
  int N;
  int K;
  std::vector<float> weights;  ///< (N, K)

  float& at(int n, int k) { return weights[static_cast<size_t>(n) * K + k]; }
};

class Random {
 public:
  int below(int n) { return static_cast<int>(m_numbers() % static_cast<unsigned>(n)); }
  float scale() { return 0.004f + 0.0001f * static_cast<float>(below(100)); }
  std::vector<float> floats(size_t count, float middle, float reach) {
    std::vector<float> values(count);
    for (float& value : values) {
      value = middle + reach * (static_cast<float>(below(2001)) * 0.001f - 1.0f);
    }
    return values;
  }

 private:
  std::mt19937 m_numbers{7};
};

/// Writes a layer's tensors and sets its weights.
using Quantize = void (*)(Layer& layer, TensorFile& file, Random& random);

struct Method {
  const char* name;
  Quantize quantize;
  const char* config;
  bool adds_otherwise =
      false;  ///< Sums are rounded otherwise than those of the dequantised weights.
};

const std::vector<Method>& quantization_methods();
const Method& method_named(std::string_view name);
/// Writes a model of 64 tokens and two layers, with four experts if has_experts, quantised and
/// dequantised.
void write_models(const Method& method, bool has_experts, const std::filesystem::path& quantized,
                  const std::filesystem::path& dequantized);
/// GPTQ whose layers have orders of their inputs of their own, also those with the same inputs.
void mixed_act_order(Layer& layer, TensorFile& file, Random& random);

}  // namespace quire::test
