// Whole models from quantised folders: their logits are, bit for bit, those of a folder that holds
// the dequantised weights in f32. Both folders are written here, from random codes and scales, by
// the formulas of the formats' packages; tst_quantized_folder compares single layers with these.

#include <QTemporaryDir>
#include <QtTest>

#include <array>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>

#include "kernels/base/dtype.h"
#include "kernels/base/quant_blocks.h"
#include "tests/engine/io/safetensors_builder.h"
#include "tests/engine/models/model_test_support.h"

using namespace quire;
using namespace quire::test;
using nlohmann::json;

namespace fs = std::filesystem;

namespace {

constexpr int kHidden = 128, kVocab = 64, kLayers = 2, kExperts = 4, kMlp = 256;

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
  void write(const fs::path& folder, const json& config) const {
    write_file(folder / "model.safetensors", safetensors_file(m_header.dump(), 0) + m_data);
    write_file(folder / "config.json", config.dump());
  }

 private:
  json m_header;
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

/// GPTQ's first version: codes along the inputs, zero points minus 1.
template <int kBits>
void gptq(Layer& layer, TensorFile& file, Random& random) {
  const int N = layer.N, K = layer.K, group = kBits == 4 ? 32 : 128, in_word = 32 / kBits;
  std::vector<uint32_t> codes(static_cast<size_t>(K / in_word) * N);
  std::vector<uint32_t> zeros(static_cast<size_t>(K / group) * (N / in_word));
  std::vector<uint16_t> scales(static_cast<size_t>(K / group) * N);
  std::vector<int32_t> order;
  for (int k = 0; k < K; ++k) order.push_back(k / group);
  for (int n = 0; n < N; ++n) {
    for (int g = 0; g < K / group; ++g) {
      const uint16_t scale = f32_to_f16(random.scale());
      const int zero = kBits == 4 ? 1 + random.below(16) : 128;
      scales[static_cast<size_t>(g) * N + n] = scale;
      zeros[static_cast<size_t>(g) * (N / in_word) + n / in_word] |= static_cast<uint32_t>(zero - 1)
                                                                     << (n % in_word * kBits);
      for (int k = g * group; k < (g + 1) * group; ++k) {
        // As large as in four bits, so that the models' numbers stay in range.
        const int code = kBits == 4 ? random.below(16) : 120 + random.below(16);
        codes[static_cast<size_t>(k / in_word) * N + n] |= static_cast<uint32_t>(code)
                                                           << (k % in_word * kBits);
        layer.at(n, k) = f16_to_f32(scale) * static_cast<float>(code - zero);
      }
    }
  }
  file.add(layer.base + "qweight", "I32", {K / in_word, N}, codes);
  file.add(layer.base + "qzeros", "I32", {K / group, N / in_word}, zeros);
  file.add(layer.base + "scales", "F16", {K / group, N}, scales);
  file.add(layer.base + "g_idx", "I32", {K}, order);
}

/// AWQ: codes along the outputs, eight of them by {0, 2, 4, 6, 1, 3, 5, 7}.
void awq(Layer& layer, TensorFile& file, Random& random) {
  constexpr int kGroup = 64;
  constexpr std::array<int, 8> kOrder = {0, 2, 4, 6, 1, 3, 5, 7};
  const int N = layer.N, K = layer.K, words = N / 8;
  std::vector<uint32_t> codes(static_cast<size_t>(K) * words);
  std::vector<uint32_t> zeros(static_cast<size_t>(K / kGroup) * words);
  std::vector<uint16_t> scales(static_cast<size_t>(K / kGroup) * N);
  for (int word = 0; word < words; ++word) {
    for (int i = 0; i < 8; ++i) {
      const int n = 8 * word + kOrder[static_cast<size_t>(i)];
      for (int g = 0; g < K / kGroup; ++g) {
        const uint16_t scale = f32_to_f16(random.scale());
        const int zero = random.below(16);
        scales[static_cast<size_t>(g) * N + n] = scale;
        zeros[static_cast<size_t>(g) * words + word] |= static_cast<uint32_t>(zero) << (4 * i);
        for (int k = g * kGroup; k < (g + 1) * kGroup; ++k) {
          const int code = random.below(16);
          codes[static_cast<size_t>(k) * words + word] |= static_cast<uint32_t>(code) << (4 * i);
          layer.at(n, k) = f16_to_f32(scale) * static_cast<float>(code - zero);
        }
      }
    }
  }
  file.add(layer.base + "qweight", "I32", {K, words}, codes);
  file.add(layer.base + "qzeros", "I32", {K / kGroup, words}, zeros);
  file.add(layer.base + "scales", "F16", {K / kGroup, N}, scales);
}

/// compressed-tensors' packed four bits: signed codes plus 8 along the inputs.
void packed_int4(Layer& layer, TensorFile& file, Random& random) {
  constexpr int kGroup = 32;
  const int N = layer.N, K = layer.K;
  std::vector<uint32_t> codes(static_cast<size_t>(N) * (K / 8));
  std::vector<uint16_t> scales;
  for (int n = 0; n < N; ++n) {
    for (int k = 0; k < K; ++k) {
      if (k % kGroup == 0) scales.push_back(f32_to_bf16(random.scale()));
      const int code = random.below(16);
      codes[static_cast<size_t>(n) * (K / 8) + k / 8] |= static_cast<uint32_t>(code) << (k % 8 * 4);
      layer.at(n, k) = bf16_to_f32(scales.back()) * static_cast<float>(code - 8);
    }
  }
  file.add(layer.base + "weight_packed", "I32", {N, K / 8}, codes);
  file.add(layer.base + "weight_scale", "BF16", {N, K / kGroup}, scales);
  file.add(layer.base + "weight_shape", "I64", {2}, std::vector<int64_t>{N, K});
}

/// The number of a byte in E4M3.
float e4m3(int byte) {
  const int exponent = byte >> 3 & 15, mantissa = byte & 7;
  const float magnitude = exponent == 0
                              ? std::ldexp(static_cast<float>(mantissa), -9)
                              : std::ldexp(static_cast<float>(8 + mantissa), exponent - 10);
  return byte < 128 ? magnitude : -magnitude;
}

/// FP8 with a scale for each 128 x 128 weights.
void fp8(Layer& layer, TensorFile& file, Random& random) {
  const int N = layer.N, K = layer.K, columns = K / 128;
  std::vector<float> scales;
  for (int i = 0; i < (N + 127) / 128 * columns; ++i) scales.push_back(random.scale());
  std::vector<uint8_t> codes;
  for (int n = 0; n < N; ++n) {
    for (int k = 0; k < K; ++k) {
      const int byte = random.below(2) * 128 + random.below(80);
      codes.push_back(static_cast<uint8_t>(byte));
      layer.at(n, k) = scales[static_cast<size_t>(n / 128 * columns + k / 128)] * e4m3(byte);
    }
  }
  file.add(layer.base + "weight", "F8_E4M3", {N, K}, codes);
  file.add(layer.base + "weight_scale_inv", "F32", {(N + 127) / 128, columns}, scales);
}

/// bitsandbytes' NF4: the first of two codes in the upper half of a byte, blocks across rows.
void nf4(Layer& layer, TensorFile& file, Random& random) {
  const int N = layer.N, K = layer.K;
  std::vector<uint8_t> codes(static_cast<size_t>(N) * K / 2);
  std::vector<float> scales;
  for (int i = 0; i < N * K; ++i) {
    if (i % 64 == 0) scales.push_back(8.0f * random.scale());
    const int code = random.below(16);
    codes[static_cast<size_t>(i / 2)] |= static_cast<uint8_t>(code << (i % 2 == 0 ? 4 : 0));
    layer.weights[static_cast<size_t>(i)] =
        scales.back() * blocks::nf4_number(static_cast<uint32_t>(code));
  }
  const std::string state = json({{"shape", {N, K}}, {"blocksize", 64}}).dump();
  file.add(layer.base + "weight", "U8", {N * K / 2, 1}, codes);
  file.add(layer.base + "weight.absmax", "F32", {N * K / 64}, scales);
  file.add(layer.base + "weight.quant_state.bitsandbytes__nf4", "U8",
           {static_cast<int>(state.size())}, std::vector<char>(state.begin(), state.end()));
}

struct Method {
  const char* name;
  Quantize quantize;
  const char* config;
};
constexpr Method kMethods[] = {
    {"gptq", gptq<4>, R"({"quant_method": "gptq", "bits": 4, "group_size": 32})"},
    {"gptq in 8 bits", gptq<8>, R"({"quant_method": "gptq", "bits": 8, "group_size": 128})"},
    {"awq", awq, R"({"quant_method": "awq", "bits": 4, "version": "gemm"})"},
    {"packed int4", packed_int4,
     R"({"quant_method": "compressed-tensors", "format": "pack-quantized"})"},
    {"fp8", fp8, R"({"quant_method": "fp8", "weight_block_size": [128, 128]})"},
    {"nf4", nf4, R"({"quant_method": "bitsandbytes", "bnb_4bit_quant_type": "nf4"})"},
};

json config_of(bool has_experts) {
  json config = {{"architectures", {has_experts ? "Qwen3MoeForCausalLM" : "Qwen3ForCausalLM"}},
                 {"hidden_size", kHidden},
                 {"intermediate_size", kMlp},
                 {"num_hidden_layers", kLayers},
                 {"num_attention_heads", 4},
                 {"num_key_value_heads", 2},
                 {"head_dim", 32},
                 {"rms_norm_eps", 1e-6},
                 {"rope_theta", 10000.0},
                 {"max_position_embeddings", 256},
                 {"tie_word_embeddings", false},
                 {"vocab_size", kVocab},
                 {"eos_token_id", 2}};
  if (!has_experts) return config;
  config["num_experts"] = kExperts;
  config["num_experts_per_tok"] = 2;
  config["moe_intermediate_size"] = kHidden;
  config["norm_topk_prob"] = true;
  config["decoder_sparse_step"] = 1;
  config["mlp_only_layers"] = json::array();
  return config;
}

/// The quantised layers of a decoder layer.
std::vector<Layer> linear_layers(const std::string& prefix, bool has_experts) {
  std::vector<Layer> layers;
  const auto add = [&](const std::string& name, int N, int K) {
    layers.push_back({prefix + name + ".", N, K, std::vector<float>(static_cast<size_t>(N) * K)});
  };
  const auto add_mlp = [&](const std::string& name, int width) {
    add(name + "gate_proj", width, kHidden);
    add(name + "up_proj", width, kHidden);
    add(name + "down_proj", kHidden, width);
  };
  add("self_attn.q_proj", kHidden, kHidden);
  add("self_attn.k_proj", kHidden / 2, kHidden);
  add("self_attn.v_proj", kHidden / 2, kHidden);
  add("self_attn.o_proj", kHidden, kHidden);
  if (!has_experts) add_mlp("mlp.", kMlp);
  for (int e = 0; has_experts && e < kExperts; ++e) {
    add_mlp("mlp.experts." + std::to_string(e) + ".", kHidden);
  }
  return layers;
}

/// Writes the model quantised and dequantised.
void write_models(const Method& method, bool has_experts, const fs::path& quantized,
                  const fs::path& dequantized) {
  Random random;
  TensorFile files[2];
  const auto add_both = [&](const std::string& name, const std::vector<int>& shape,
                            const std::vector<float>& numbers) {
    for (TensorFile& file : files) file.add(name, "F32", shape, numbers);
  };
  for (int i = 0; i < kLayers; ++i) {
    const std::string prefix = "model.layers." + std::to_string(i) + ".";
    for (Layer& layer : linear_layers(prefix, has_experts)) {
      method.quantize(layer, files[0], random);
      files[1].add(layer.base + "weight", "F32", {layer.N, layer.K}, layer.weights);
    }
    for (const char* norm : {"input_layernorm", "post_attention_layernorm"}) {
      add_both(prefix + norm + ".weight", {kHidden}, random.floats(kHidden, 1.0f, 0.3f));
    }
    for (const char* norm : {"self_attn.q_norm", "self_attn.k_norm"}) {
      add_both(prefix + norm + ".weight", {32}, random.floats(32, 1.0f, 0.3f));
    }
    if (!has_experts) continue;
    add_both(prefix + "mlp.gate.weight", {kExperts, kHidden},
             random.floats(size_t{kExperts} * kHidden, 0.0f, 0.3f));
  }
  for (const char* name : {"model.embed_tokens.weight", "lm_head.weight"}) {
    add_both(name, {kVocab, kHidden}, random.floats(size_t{kVocab} * kHidden, 0.0f, 0.5f));
  }
  add_both("model.norm.weight", {kHidden}, random.floats(kHidden, 1.0f, 0.3f));
  json config = config_of(has_experts);
  files[1].write(dequantized, config);
  config["quantization_config"] = json::parse(method.config);
  files[0].write(quantized, config);
}

/// The logits of a sequence, its first tokens in one step, the others one by one.
std::vector<float> logits_of(ModelHarness& model) {
  std::vector<int32_t> tokens;
  for (int i = 0; i < 20; ++i) tokens.push_back(3 + i * 29 % (kVocab - 3));
  TestSequence sequence = model.sequence(tokens);
  std::vector<float> logits = model.step(sequence, 14);
  for (int i = 14; i < 20; ++i) {
    const std::vector<float> more = model.step(sequence, 1);
    logits.insert(logits.end(), more.begin(), more.end());
  }
  return logits;
}

}  // namespace

class TestQuantizedModels : public QObject {
  Q_OBJECT

 private slots:
  void logits_areThoseOfTheDequantizedModel_data() {
    QTest::addColumn<int>("method");
    QTest::addColumn<bool>("hasExperts");
    for (int i = 0; i < static_cast<int>(std::size(kMethods)); ++i) {
      QTest::addRow("%s", kMethods[i].name) << i << false;
      QTest::addRow("%s, experts", kMethods[i].name) << i << true;
    }
  }
  void logits_areThoseOfTheDequantizedModel() {
    QFETCH(int, method);
    QFETCH(bool, hasExperts);
    QTemporaryDir quantized, dequantized;
    const fs::path folder = quantized.path().toStdString();
    const fs::path plain = dequantized.path().toStdString();
    write_models(kMethods[method], hasExperts, folder, plain);
    ModelHarness reference(plain, "scalar");
    const std::vector<float> expected = logits_of(reference);
    for (const std::string& isa : ModelHarness::available_isas()) {
      ModelHarness model(folder, isa);
      ModelHarness same(plain, isa);
      const std::vector<float> logits = logits_of(model);
      QVERIFY2(logits == logits_of(same), isa.c_str());
      QVERIFY2(worst_error(logits, expected, kVocab) <= 1e-5, isa.c_str());
    }
    // As the application runs it, with activations of 8 bits where the codes are integers. A router
    // may then choose another expert; without experts all methods are within 0.06.
    ModelHarness rounding(folder, must(create_backend({.device = "cpu", .num_threads = 2})));
    const double error = worst_error(logits_of(rounding), expected, kVocab);
    QVERIFY2(error <= (hasExperts ? 0.15 : 0.06), qPrintable(QString::number(error)));
  }
};

QTEST_APPLESS_MAIN(TestQuantizedModels)
#include "tst_quantized_models.moc"
