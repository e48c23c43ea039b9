#include "engine/models/decoder.h"

#include <utility>

#include "engine/models/adapter_loader.h"
#include "engine/models/decoder_stage.h"
#include "engine/models/layers/decoder_layer.h"
#include "engine/models/speculative_layer.h"
#include "engine/models/weight_loader.h"
#include "kernels/base/state_limits.h"

namespace quire {

CacheLayout cache_layout(const ModelConfig& config, DType dtype) {
  CacheLayout layout = {.dtype = dtype, .layers = {}};
  for (int i = 0; i < static_cast<int>(config.layers.size()); ++i) {
    LayerCache layer = DecoderLayer::cache_of(config, i);
    if (layer.pages) layer.pages->window = kept_window(config, i);
    layout.layers.push_back(layer);
  }
  return layout;
}

/// Errors: kUnsupported for states that a GPU among the devices cannot compute.
static Result<void> check_states(const ModelConfig& config, const LayerPlacement& placement) {
  const int width = config.recurrent.key_dim;
  if (width <= kMaxGpuStateWidth) return {};
  for (const LayerRange& range : placement) {
    const DeviceInfo device = range.backend->info();
    if (!device.has_own_memory) continue;
    return make_error(ErrorCode::kUnsupported,
                      "This model's recurrent layers keep states of %1 columns; the device %2 "
                      "computes at most %3. Choose the device \"cpu\".",
                      {std::to_string(width), device.name, std::to_string(kMaxGpuStateWidth)});
  }
  return {};
}

Decoder::Decoder(LayerPlacement placement, ModelConfig config)
    : m_placement(std::move(placement)), m_config(std::move(config)) {}
Decoder::~Decoder() = default;

Result<std::unique_ptr<Decoder>> Decoder::load(LayerPlacement placement, ModelConfig config,
                                               WeightLoader& loader, bool speculative_layers) {
  CHECK(static_cast<int>(config.layers.size()) == config.num_layers);
  CHECK(!placement.empty() && placement.back().end() == config.num_layers);
  if (auto checked = check_states(config, placement); !checked) return checked.error();
  std::unique_ptr<Decoder> decoder(new Decoder(std::move(placement), std::move(config)));
  for (const LayerRange& range : decoder->m_placement) {
    decoder->m_stages.push_back(std::make_unique<DecoderStage>(range, decoder->m_config));
  }
  for (const auto& stage : decoder->m_stages) stage->load_tables(loader);
  for (const auto& stage : decoder->m_stages) stage->load_layers(loader);
  const int num_more = speculative_layers ? decoder->m_config.num_speculative_layers : 0;
  for (int i = 0; i < num_more; ++i) {  // The last stage's backend is the current one.
    decoder->m_speculative_layers.emplace_back(decoder->m_config, i, loader);
  }
  const bool is_whole = decoder->m_stages.size() == 1;
  if (num_more > 0 && is_whole) decoder->m_config = with_computed_layer(decoder->m_config, loader);
  if (auto loaded = loader.finish(); !loaded) return loaded.error();
  if (has_draft_layer(decoder->m_config)) {
    decoder->m_stages.back()->use(decoder->m_speculative_layers.front());
  }
  for (const auto& stage : decoder->m_stages) {
    if (auto added = stage->add_rotations(); !added) return added.error();
  }
  return decoder;
}

Result<void> Decoder::add_adapter(AdapterId adapter, AdapterFiles& files) {
  CHECK(adapter != 0);
  auto loader = AdapterLoader::create(files, m_config);
  if (!loader) return loader.error();
  Result<void> added;
  for (const auto& stage : m_stages) {
    if (added) added = stage->add_adapter(adapter, *loader);
  }
  if (added) added = loader->finish();
  if (!added) remove_adapter(adapter);
  return added;
}

Result<void> Decoder::check_adapter(AdapterFiles& files) const {
  auto loader = AdapterLoader::create(files, m_config);
  if (!loader) return loader.error();
  for (const auto& stage : m_stages) {
    if (auto checked = stage->check_adapter(*loader); !checked) return checked;
  }
  return loader->finish();
}

void Decoder::remove_adapter(AdapterId adapter) {
  for (const auto& stage : m_stages) stage->remove_adapter(adapter);
}

size_t Decoder::adapter_bytes() const {
  size_t total = 0;
  for (const auto& stage : m_stages) total += stage->adapter_bytes();
  return total;
}

size_t Decoder::weight_bytes() const {
  size_t total = 0;
  for (const auto& stage : m_stages) total += stage->weight_bytes();
  for (const SpeculativeLayer& layer : m_speculative_layers) total += layer.size_bytes();
  if (m_heads) total += m_heads->size_bytes();
  return total;
}

Result<void> Decoder::reserve(int max_tokens, int max_logits) {
  for (const auto& stage : m_stages) {
    if (auto reserved = stage->reserve({max_tokens, max_logits}); !reserved) return reserved;
  }
  return {};
}

void Decoder::add_limits(StepLimits& limits, int max_tokens) const {
  for (const auto& stage : m_stages) stage->add_limits(limits, max_tokens);
}

void Decoder::forward(size_t range, const DeviceBatch& batch, const CacheStorage& kv,
                      TensorView logits, TensorView kept) {
  m_stages.at(range)->forward(batch, kv, logits, kept);
}

const DraftLayers* Decoder::draft_layers() const {
  return m_stages.back()->draft_layers();
}

void Decoder::use_heads(std::unique_ptr<DraftLayers> heads) {
  m_heads = std::move(heads);
  m_stages.back()->use(*m_heads);
}

void Decoder::extend_drafts(const DeviceBatch& batch, const CacheStorage& kv,
                            ConstTensorView previous) {
  m_stages.back()->extend_drafts(batch, kv, previous);
}

void Decoder::guess(int number, const DeviceBatch& batch, const CacheStorage& kv,
                    const GuessBuffers& buffers) {
  m_stages.back()->guess(number, batch, kv, buffers);
}

TensorView Decoder::states(int64_t num_rows) const {
  return m_stages.back()->hidden(num_rows);
}

std::vector<TensorView> Decoder::carried(size_t range, int64_t num_tokens) const {
  return m_stages.at(range)->carried(num_tokens);
}

}  // namespace quire
