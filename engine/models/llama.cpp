#include "engine/models/llama.h"

#include <string>
#include <utility>

namespace quire {
namespace {

Linear fused_qkv(const ModelConfig& config, WeightLoader& loader, const std::string& prefix) {
  const int64_t q = int64_t{1} * config.num_heads * config.head_dim;
  const int64_t kv = int64_t{1} * config.num_kv_heads * config.head_dim;
  Linear linear;
  linear.weight = loader.linear({{prefix + "q_proj.weight", q},
                                 {prefix + "k_proj.weight", kv},
                                 {prefix + "v_proj.weight", kv}},
                                config.hidden_size);
  if (config.attention_bias) {
    linear.bias = loader.vector(
        {{prefix + "q_proj.bias", q}, {prefix + "k_proj.bias", kv}, {prefix + "v_proj.bias", kv}});
  }
  return linear;
}

Linear fused_gate_up(const ModelConfig& config, WeightLoader& loader, const std::string& prefix) {
  const int64_t n = config.intermediate_size;
  Linear linear;
  linear.weight = loader.linear({{prefix + "gate_proj.weight", n}, {prefix + "up_proj.weight", n}},
                                config.hidden_size);
  if (config.mlp_bias) {
    linear.bias = loader.vector({{prefix + "gate_proj.bias", n}, {prefix + "up_proj.bias", n}});
  }
  return linear;
}

Linear single(WeightLoader& loader, const std::string& name, int64_t outputs, int64_t inputs,
              bool has_bias) {
  Linear linear;
  linear.weight = loader.linear({{name + ".weight", outputs}}, inputs);
  if (has_bias) linear.bias = loader.vector({{name + ".bias", outputs}});
  return linear;
}

LayerWeights load_layer(const ModelConfig& config, WeightLoader& loader, int index) {
  const std::string prefix = "model.layers." + std::to_string(index) + ".";
  const int64_t hidden = config.hidden_size;
  LayerWeights layer;
  layer.attention_norm = loader.vector({{prefix + "input_layernorm.weight", hidden}});
  layer.qkv = fused_qkv(config, loader, prefix + "self_attn.");
  layer.output = single(loader, prefix + "self_attn.o_proj", hidden,
                        int64_t{1} * config.num_heads * config.head_dim, config.attention_bias);
  layer.mlp_norm = loader.vector({{prefix + "post_attention_layernorm.weight", hidden}});
  layer.gate_up = fused_gate_up(config, loader, prefix + "mlp.");
  layer.down =
      single(loader, prefix + "mlp.down_proj", hidden, config.intermediate_size, config.mlp_bias);
  return layer;
}

}  // namespace

DecoderWeights load_llama_weights(const ModelConfig& config, WeightLoader& loader) {
  constexpr const char* kEmbedding = "model.embed_tokens.weight";
  const char* head = config.tie_word_embeddings ? kEmbedding : "lm_head.weight";
  DecoderWeights weights;
  weights.embedding = loader.table(kEmbedding, config.vocab_size, config.hidden_size);
  for (int i = 0; i < config.num_layers; ++i) {
    weights.layers.push_back(load_layer(config, loader, i));
  }
  weights.final_norm = loader.vector({{"model.norm.weight", config.hidden_size}});
  weights.lm_head.weight = loader.linear({{head, config.vocab_size}}, config.hidden_size);
  return weights;
}

}  // namespace quire
