#include "engine/models/decoder_weights.h"

namespace quire {

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
