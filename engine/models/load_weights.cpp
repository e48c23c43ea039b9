#include <string>
#include <utility>

#include "engine/models/weight_loader.h"

namespace quire {
namespace {

using Part = WeightLoader::Part;

std::vector<Part> named(std::vector<Part> parts, const char* suffix) {
  for (Part& part : parts) part.name += suffix;
  return parts;
}

/// The tensors of one layer, by their names in it.
class LayerLoader {
 public:
  LayerLoader(const ModelConfig& config, WeightLoader& loader, int index)
      : m_config(config),
        m_layer(config.layers[static_cast<size_t>(index)]),
        m_loader(loader),
        m_prefix("blk." + std::to_string(index) + ".") {}

  LayerWeights load() {
    LayerWeights weights;
    load_attention(weights);
    if (m_layer.has_experts) {
      load_experts(weights.experts);
    } else {
      load_mlp(weights);
    }
    const bool is_pre = m_config.norm_placement != NormPlacement::kPost;
    const bool is_post = m_config.norm_placement != NormPlacement::kPre;
    if (is_pre) weights.attention_norm = norm("attn_norm", m_config.hidden_size);
    if (is_pre) weights.mlp_norm = norm("ffn_norm", m_config.hidden_size);
    if (is_post) weights.post_attention_norm = norm("post_attention_norm", m_config.hidden_size);
    if (is_post) weights.post_mlp_norm = norm("post_ffw_norm", m_config.hidden_size);
    return weights;
  }

 private:
  std::string in_layer(const char* name) const { return m_prefix + name; }
  DeviceTensor norm(const char* name, int64_t size) {
    return m_loader.norm(in_layer(name) + ".weight", size);
  }
  Linear linear(const std::vector<Part>& parts, int64_t num_inputs, bool has_bias) {
    Linear linear;
    linear.weight = m_loader.linear(named(parts, ".weight"), num_inputs);
    if (has_bias) linear.bias = m_loader.vector(named(parts, ".bias"));
    return linear;
  }

  void load_attention(LayerWeights& weights) {
    const int64_t hidden = m_config.hidden_size;
    const int64_t q = int64_t{1} * m_config.num_heads * m_config.head_dim;
    const int64_t kv = int64_t{1} * m_config.num_kv_heads * m_config.head_dim;
    weights.qkv = linear(qkv_parts(q, kv), hidden, m_config.qkv_bias);
    weights.output = linear({{in_layer("attn_output"), hidden}}, q, m_config.output_bias);
    if (m_config.has_sinks) {
      const Part sinks[] = {{in_layer("attn_sinks.weight"), m_config.num_heads}};
      weights.sinks = m_loader.vector(sinks);
    }
    if (m_config.qk_norm == QkNorm::kNone) return;
    const bool is_whole = m_config.qk_norm == QkNorm::kWhole;
    weights.query_norm = norm("attn_q_norm", is_whole ? q : m_config.head_dim);
    weights.key_norm = norm("attn_k_norm", is_whole ? kv : m_config.head_dim);
  }

  /// One fused tensor, if the files have it, or three.
  std::vector<Part> qkv_parts(int64_t q, int64_t kv) const {
    if (m_loader.has(in_layer("attn_qkv.weight"))) return {{in_layer("attn_qkv"), q + 2 * kv}};
    return {{in_layer("attn_q"), q, m_config.head_dim},
            {in_layer("attn_k"), kv, m_config.head_dim},
            {in_layer("attn_v"), kv}};
  }

  void load_mlp(LayerWeights& weights) {
    const int64_t n = m_config.intermediate_size;
    std::vector<Part> parts = {{in_layer("ffn_gate"), n}, {in_layer("ffn_up"), n}};
    // Phi-3 and those like it keep the gate above the up projection in one tensor.
    if (m_loader.num_rows(in_layer("ffn_up.weight")) == 2 * n) {
      parts = {{in_layer("ffn_up"), 2 * n}};
    }
    weights.gate_up = linear(parts, m_config.hidden_size, m_config.mlp_bias);
    weights.down = linear({{in_layer("ffn_down"), m_config.hidden_size}}, n, m_config.mlp_bias);
  }

  void load_experts(ExpertWeights& weights) {
    const ExpertsConfig& experts = m_config.experts;
    const int64_t hidden = m_config.hidden_size, n = experts.intermediate_size;
    weights.router =
        linear({{in_layer("ffn_gate_inp"), experts.num_experts}}, hidden, experts.has_bias);
    std::vector<Part> parts = {{in_layer("ffn_gate_exps"), n}, {in_layer("ffn_up_exps"), n}};
    if (m_loader.has_experts(in_layer("ffn_gate_up_exps"))) {
      parts = {{in_layer("ffn_gate_up_exps"), 2 * n}};
    }
    weights.gate_up = m_loader.experts(parts, experts.num_experts, hidden, experts.has_bias);
    const Part down[] = {{in_layer("ffn_down_exps"), hidden}};
    weights.down = m_loader.experts(down, experts.num_experts, n, experts.has_bias);
  }

  const ModelConfig& m_config;
  const LayerConfig& m_layer;
  WeightLoader& m_loader;
  const std::string m_prefix;
};

}  // namespace

DecoderWeights load_weights(const ModelConfig& config, const LayerPlacement& placement,
                            WeightLoader& loader) {
  const auto table = [&](const char* name) {
    const Part part[] = {{name, config.vocab_size}};
    return loader.linear(part, config.hidden_size);
  };
  DecoderWeights weights;
  // The largest first: each is in memory twice while it is packed, once in the file's pages.
  Backend& first = *placement.front().backend;
  Backend& last = *placement.back().backend;
  loader.place_on(first);
  weights.embedding = table("token_embd.weight");
  loader.place_on(last);
  if (!config.tie_word_embeddings) {
    weights.lm_head = table("output.weight");
  } else if (&first != &last) {
    weights.lm_head = table("token_embd.weight");  // Each device needs its own copy.
  }
  for (const LayerRange& range : placement) {
    loader.place_on(*range.backend);
    for (int i = range.first; i < range.end(); ++i) {
      weights.layers.push_back(LayerLoader(config, loader, i).load());
    }
  }
  weights.final_norm = loader.norm("output_norm.weight", config.hidden_size);
  return weights;
}

size_t ExpertLinears::size_bytes() const {
  size_t total = biases.size_bytes();
  for (const auto& weight : weights) total += weight->size_bytes();
  return total;
}

size_t LayerWeights::size_bytes() const {
  size_t total = 0;
  for (const DeviceTensor* tensor : {&attention_norm, &query_norm, &key_norm, &sinks,
                                     &post_attention_norm, &mlp_norm, &post_mlp_norm}) {
    total += tensor->size_bytes();
  }
  for (const Linear* linear : {&qkv, &output, &gate_up, &down, &experts.router}) {
    total += linear->size_bytes();
  }
  return total + experts.gate_up.size_bytes() + experts.down.size_bytes();
}

size_t DecoderWeights::size_bytes() const {
  size_t total = embedding->size_bytes() + final_norm.size_bytes();
  if (lm_head) total += lm_head->size_bytes();
  for (const LayerWeights& layer : layers) total += layer.size_bytes();
  return total;
}

}  // namespace quire
