#include "engine/models/speculative_layer.h"

#include <algorithm>
#include <string>

#include "engine/models/weight_conventions.h"
#include "engine/models/weight_loader.h"

namespace quire {
namespace {

constexpr int kMostLayers = 64;

/// The configuration with the layers for speculation behind the decoder's own. Those of a mixture
/// of experts may have a plain MLP (ERNIE 4.5).
ModelConfig with_speculative_layers(const ModelConfig& config, const WeightLoader& loader) {
  const auto attends = [](const LayerConfig& layer) {
    return layer.mixer == MixerKind::kAttention || layer.mixer == MixerKind::kMla;
  };
  const auto last = std::find_if(config.layers.rbegin(), config.layers.rend(), attends);
  ModelConfig whole = config;
  whole.layers.resize(config.layers.size() + static_cast<size_t>(config.num_speculative_layers),
                      last == config.layers.rend() ? config.layers.back() : *last);
  for (size_t i = config.layers.size(); i < whole.layers.size(); ++i) {
    if (loader.has("blk." + std::to_string(i) + ".ffn_gate.weight")) {
      whole.layers[i].has_experts = false;
    }
  }
  return whole;
}

/// Null if the files leave the table out.
std::unique_ptr<LinearWeight> table(WeightLoader& loader, const std::string& name,
                                    const ModelConfig& config) {
  if (!loader.has(name)) return nullptr;
  const WeightLoader::Part part[] = {
      {.name = name, .num_outputs = config.vocab_size, .is_table = true}};
  return loader.linear(part, config.hidden_size);
}

size_t size_of(const std::unique_ptr<LinearWeight>& weight) {
  return weight ? weight->size_bytes() : 0;
}

}  // namespace

SpeculativeLayer::SpeculativeLayer(const ModelConfig& config, int index, WeightLoader& loader)
    : m_layer(with_speculative_layers(config, loader), config.num_layers + index,
              LayerTensors(loader, config.num_layers + index)) {
  const std::string prefix = "blk." + std::to_string(config.num_layers + index) + ".nextn.";
  const auto norm = [&](const char* name) {
    return loader.norm(prefix + name, config.hidden_size, config.norm, config.norm_eps);
  };
  m_token_norm = norm("enorm");
  m_hidden_norm = norm("hnorm");
  const WeightLoader::Part projection[] = {
      {.name = prefix + "eh_proj.weight", .num_outputs = config.hidden_size}};
  m_projection = loader.linear(projection, 2 * int64_t{config.hidden_size});
  if (loader.has(prefix + "shared_head_norm.weight")) m_final_norm = norm("shared_head_norm");
  m_embedding = table(loader, prefix + "embed_tokens.weight", config);
  m_head = table(loader, prefix + "shared_head_head.weight", config);
}

size_t SpeculativeLayer::size_bytes() const {
  return m_token_norm.size_bytes() + m_hidden_norm.size_bytes() + size_of(m_projection) +
         m_layer.size_bytes() + m_final_norm.size_bytes() + size_of(m_embedding) + size_of(m_head);
}

int count_speculative_layers(const ModelConfig& config, TensorNames names,
                             const WeightSource& weights) {
  const int most = config.num_speculative_layers > 0 ? config.num_speculative_layers : kMostLayers;
  if (config.num_speculative_layers == 0 && !names.has_mtp()) return 0;
  int count = 0;
  for (int layer = 0; layer < most; ++layer) {
    const std::string prefix = names.speculative_prefix(config.num_layers, layer);
    const bool is_there = std::ranges::any_of(weights.tensors(), [&](const TensorInfo& tensor) {
      return tensor.name.starts_with(prefix);
    });
    if (is_there) count = layer + 1;
  }
  return count;
}

}  // namespace quire
