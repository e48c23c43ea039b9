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
  // Files store no parameters of activations for these layers.
  if (std::vector<Activation>& stored = whole.stored_activations; !stored.empty()) {
    stored.resize(whole.layers.size(), stored.back());
  }
  for (size_t i = config.layers.size(); i < whole.layers.size(); ++i) {
    if (loader.has("blk." + std::to_string(i) + ".ffn_gate.weight")) {
      whole.layers[i].has_experts = false;
    }
  }
  return whole;
}

/// The architectures whose layers are defined as in the sources that SpeculativeLayer names. ERNIE
/// 4.5's have no norm before the head in vLLM (ernie_mtp.py), which contradicts the paper;
/// Nemotron's have several blocks.
constexpr std::string_view kComputed[] = {"deepseek2", "deepseek_v3", "glm4moe",   "glm4_moe_lite",
                                          "qwen35",    "qwen35moe",   "qwen3next", "llama"};

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
    : m_hidden_size(config.hidden_size),
      m_layer(with_speculative_layers(config, loader), config.num_layers + index,
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

void SpeculativeLayer::extend(const Mixer::Step& step, const DecoderEnds& ends,
                              const Stream& buffers, ConstTensorView previous) const {
  const Stream stream = begin(step, ends, buffers, previous);
  Mixer::Step caching = step;
  caching.rows = step.batch.ids.rows(0, 0);
  m_layer.forward(caching, stream, stream.residual.rows(0, 0), {Norm()});
}

void SpeculativeLayer::guess(const Mixer::Step& step, const DecoderEnds& ends,
                             const Stream& buffers, int /*number*/, ConstTensorView previous,
                             TensorView out) const {
  const Stream stream = begin(step, ends, buffers, previous);
  const Norm& last = m_final_norm.exists() ? m_final_norm : ends.final_norm;
  const Stream result = m_layer.forward(step, stream, {}, {last});
  step.backend.copy(out.data(), result.hidden.data(),
                    static_cast<size_t>(out.num_elements()) * sizeof(float));
}

/// Computes what enters its decoder layer: the projection of the normed embedding and the normed
/// state.
Stream SpeculativeLayer::begin(const Mixer::Step& step, const DecoderEnds& ends,
                               const Stream& buffers, ConstTensorView previous) const {
  const Workspace::Scope scope(step.work);
  Backend& backend = step.backend;
  const int64_t count = step.batch.num_tokens();
  const Stream stream = {buffers.residual.rows(0, count), buffers.hidden.rows(0, count)};
  const TensorView both = step.work.take(count, 2 * m_hidden_size);
  const TensorView embedded = both.columns(0, m_hidden_size);
  backend.embed(embedded, m_embedding ? *m_embedding : *ends.embedding, step.batch.ids,
                ends.embedding_scale);
  m_token_norm.apply(backend, embedded, embedded);
  m_hidden_norm.apply(backend, both.columns(m_hidden_size, m_hidden_size), previous);
  backend.linear(stream.residual, both, *m_projection, {});
  m_layer.input_norm().apply(backend, stream.hidden, stream.residual);
  return stream;
}

void SpeculativeLayer::measure(Workspace& work, const MaxRows& most) const {
  {
    const Workspace::Scope scope(work);
    work.take(most.tokens, 2 * m_hidden_size);
  }
  m_layer.measure(work, most);
}

void SpeculativeLayer::add_limits(StepLimits& limits, int64_t max_tokens) const {
  limits.activations.push_back({max_tokens, 2 * m_hidden_size});
  m_layer.add_limits(limits, max_tokens);
}

size_t SpeculativeLayer::size_bytes() const {
  return m_token_norm.size_bytes() + m_hidden_norm.size_bytes() + size_of(m_projection) +
         m_layer.size_bytes() + m_final_norm.size_bytes() + size_of(m_embedding) + size_of(m_head);
}

ModelConfig with_computed_layer(const ModelConfig& config, const WeightLoader& loader) {
  const bool is_known = std::ranges::find(kComputed, config.architecture) != std::end(kComputed) &&
                        config.num_speculative_layers == 1 &&
                        config.norm_placement == NormPlacement::kPre;
  if (!is_known) return config;
  ModelConfig whole = with_speculative_layers(config, loader);
  const LayerConfig& layer = whole.layers.back();
  // Only then are its pages part of the blocks, with the same slots as the other layers'.
  const bool is_plain = layer.cache_layer < 0 && kept_window(whole, config.num_layers) == 0;
  return is_plain ? whole : config;
}

int count_speculative_layers(const ModelConfig& config, TensorNames names,
                             const WeightSource& weights) {
  const int most = config.num_speculative_layers > 0 ? config.num_speculative_layers : kMostLayers;
  const std::string projection =
      names.in_file("blk." + std::to_string(config.num_layers) + ".nextn.eh_proj.weight");
  const bool is_counted = config.num_speculative_layers > 0 || names.has_mtp();
  if (!is_counted && weights.find(projection) == nullptr) return 0;
  int count = 0;
  for (int layer = 0; layer < most; ++layer) {
    const std::string prefix = names.speculative_prefix(config.num_layers, layer);
    const auto tensors = weights.tensors();  // By name.
    const auto first = std::ranges::lower_bound(tensors, prefix, {}, &TensorInfo::name);
    if (first != tensors.end() && first->name.starts_with(prefix)) count = layer + 1;
  }
  return count;
}

}  // namespace quire
