#include "tests/engine/models/quantized_layers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>

#include "kernels/base/dtype.h"
#include "kernels/base/quant_blocks.h"

namespace quire::test {
namespace {

using nlohmann::json;

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

/// What a layer multiplies: layers that are computed as one, "q_proj", "k_proj" and "v_proj" or
/// "gate_proj" and "up_proj", have the same name here.
std::string inputs_of(const std::string& base) {
  for (const char* name : {"q_proj.", "k_proj.", "v_proj.", "gate_proj.", "up_proj."}) {
    if (base.ends_with(name)) return base.substr(0, base.size() - std::strlen(name));
  }
  return base;
}

/// GPTQ with act-order: the groups hold inputs from anywhere. The order is that of `inputs`.
void act_order(Layer& layer, TensorFile& file, Random& random, const std::string& inputs) {
  constexpr int kGroup = 32;
  const int N = layer.N, K = layer.K;
  std::vector<int32_t> order(static_cast<size_t>(K)), group_of(static_cast<size_t>(K));
  std::iota(order.begin(), order.end(), 0);
  std::seed_seq seed(inputs.begin(), inputs.end());
  std::mt19937 numbers(seed);
  for (size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[numbers() % k]);
  for (int i = 0; i < K; ++i)
    group_of[static_cast<size_t>(order[static_cast<size_t>(i)])] = i / kGroup;
  std::vector<uint32_t> codes(static_cast<size_t>(K / 8) * N);
  std::vector<uint32_t> zeros(static_cast<size_t>(K / kGroup) * (N / 8));
  std::vector<uint16_t> scales;
  std::vector<int> points;
  for (int g = 0; g < K / kGroup; ++g) {
    for (int n = 0; n < N; ++n) {
      scales.push_back(f32_to_f16(random.scale()));
      points.push_back(1 + random.below(16));
      zeros[static_cast<size_t>(g) * (N / 8) + n / 8] |= static_cast<uint32_t>(points.back() - 1)
                                                         << (n % 8 * 4);
    }
  }
  for (int n = 0; n < N; ++n) {
    for (int k = 0; k < K; ++k) {
      const auto at = static_cast<size_t>(group_of[static_cast<size_t>(k)]) * N + n;
      const int code = random.below(16);
      codes[static_cast<size_t>(k / 8) * N + n] |= static_cast<uint32_t>(code) << (k % 8 * 4);
      layer.at(n, k) = f16_to_f32(scales[at]) * static_cast<float>(code - points[at]);
    }
  }
  file.add(layer.base + "qweight", "I32", {K / 8, N}, codes);
  file.add(layer.base + "qzeros", "I32", {K / kGroup, N / 8}, zeros);
  file.add(layer.base + "scales", "F16", {K / kGroup, N}, scales);
  file.add(layer.base + "g_idx", "I32", {K}, group_of);
}
void gptq_act_order(Layer& layer, TensorFile& file, Random& random) {
  act_order(layer, file, random, inputs_of(layer.base));
}
/// compressed-tensors' packed four bits with groups from anywhere.
void packed_act_order(Layer& layer, TensorFile& file, Random& random) {
  constexpr int kGroup = 32;
  const int N = layer.N, K = layer.K;
  std::vector<int32_t> group_of;
  for (int k = 0; k < K; ++k) group_of.push_back((K - 1 - k) * 5 % K / kGroup);
  std::vector<uint32_t> codes(static_cast<size_t>(N) * (K / 8));
  std::vector<uint16_t> scales;
  for (int i = 0; i < N * (K / kGroup); ++i) scales.push_back(f32_to_bf16(random.scale()));
  for (int n = 0; n < N; ++n) {
    for (int k = 0; k < K; ++k) {
      const int code = random.below(16), g = group_of[static_cast<size_t>(k)];
      codes[static_cast<size_t>(n) * (K / 8) + k / 8] |= static_cast<uint32_t>(code) << (k % 8 * 4);
      layer.at(n, k) = bf16_to_f32(scales[static_cast<size_t>(n * (K / kGroup) + g)]) *
                       static_cast<float>(code - 8);
    }
  }
  file.add(layer.base + "weight_packed", "I32", {N, K / 8}, codes);
  file.add(layer.base + "weight_scale", "BF16", {N, K / kGroup}, scales);
  file.add(layer.base + "weight_shape", "I64", {2}, std::vector<int64_t>{N, K});
  file.add(layer.base + "weight_g_idx", "I32", {K}, group_of);
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

/// NVFP4: the first of two codes in the lower half of a byte, a scale for each 16 of a row, and one
/// for the tensor, which compressed-tensors stores as its inverse.
template <bool kIsModelOpt>
void nvfp4(Layer& layer, TensorFile& file, Random& random) {
  constexpr float kNumbers[8] = {0.0f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 4.0f, 6.0f};
  const int N = layer.N, K = layer.K;
  const float whole = 0.01f * random.scale();
  const float stored = kIsModelOpt ? whole : 1.0f / whole;
  std::vector<uint8_t> codes(static_cast<size_t>(N) * K / 2), scales;
  for (int i = 0; i < N * K; ++i) {
    if (i % 16 == 0) scales.push_back(static_cast<uint8_t>(88 + random.below(39)));
    const int code = random.below(16);
    codes[static_cast<size_t>(i / 2)] |= static_cast<uint8_t>(code << (i % 2 * 4));
    const float number = e4m3(scales.back()) * kNumbers[code % 8] * (code < 8 ? 1.0f : -1.0f);
    layer.weights[static_cast<size_t>(i)] = kIsModelOpt ? number * stored : number / stored;
  }
  file.add(layer.base + (kIsModelOpt ? "weight" : "weight_packed"), "U8", {N, K / 2}, codes);
  file.add(layer.base + "weight_scale", "F8_E4M3", {N, K / 16}, scales);
  file.add(layer.base + (kIsModelOpt ? "weight_scale_2" : "weight_global_scale"), "F32",
           kIsModelOpt ? std::vector<int>() : std::vector<int>{1}, std::vector<float>{stored});
  file.add(layer.base + (kIsModelOpt ? "input_scale" : "input_global_scale"), "F32", {1},
           std::vector<float>{0.5f});
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

const std::vector<Method> kMethods = {
    {"gptq", gptq<4>, R"({"quant_method": "gptq", "bits": 4, "group_size": 32})"},
    {"gptq, act-order", gptq_act_order,
     R"({"quant_method": "gptq", "bits": 4, "group_size": 32, "desc_act": true})", true},
    {"packed int4, act-order", packed_act_order,
     R"({"quant_method": "compressed-tensors", "format": "pack-quantized"})", true},
    {"gptq in 8 bits", gptq<8>, R"({"quant_method": "gptq", "bits": 8, "group_size": 128})"},
    {"awq", awq, R"({"quant_method": "awq", "bits": 4, "version": "gemm"})"},
    {"packed int4", packed_int4,
     R"({"quant_method": "compressed-tensors", "format": "pack-quantized"})"},
    {"nvfp4 of ModelOpt", nvfp4<true>, R"({"quant_method": "modelopt", "quant_algo": "NVFP4"})",
     true},
    {"nvfp4 of compressed-tensors", nvfp4<false>,
     R"({"quant_method": "compressed-tensors", "format": "nvfp4-pack-quantized", "config_groups": {
        "group_0": {"weights": {"num_bits": 4, "type": "float", "group_size": 16}}}})",
     true},
    {"fp8", fp8, R"({"quant_method": "fp8", "weight_block_size": [128, 128]})"},
    {"nf4", nf4, R"({"quant_method": "bitsandbytes", "bnb_4bit_quant_type": "nf4"})"},
};

constexpr int kHidden = 128, kVocab = 64, kLayers = 2, kExperts = 4, kMlp = 256;

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

}  // namespace

const std::vector<Method>& quantization_methods() {
  return kMethods;
}

const Method& method_named(std::string_view name) {
  return *std::ranges::find(kMethods, name, &Method::name);
}

void mixed_act_order(Layer& layer, TensorFile& file, Random& random) {
  act_order(layer, file, random, layer.base);
}

void write_models(const Method& method, bool has_experts, const std::filesystem::path& quantized,
                  const std::filesystem::path& dequantized) {
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

}  // namespace quire::test
