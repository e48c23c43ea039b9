#include "engine/models/decoder.h"

#include <algorithm>
#include <set>
#include <utility>

#include "engine/models/adapter_loader.h"
#include "engine/models/layers/alt_up.h"
#include "engine/models/layers/decoder_layer.h"
#include "engine/models/layers/per_layer_embeddings.h"
#include "engine/models/layers/rotations.h"
#include "engine/models/speculative_layer.h"
#include "engine/models/weight_loader.h"
#include "kernels/base/state_limits.h"

namespace quire {

/// The layers that one backend computes, with the embedding if it has the first layer and the head
/// if it has the last one.
class Decoder::Stage {
 public:
  /// The config is the whole model's and outlives the stage.
  Stage(const LayerRange& range, const ModelConfig& config)
      : m_backend(*range.backend), m_range(range), m_config(config), m_work(*range.backend) {
    CHECK(range.first >= 0 && range.count > 0 && range.end() <= config.num_layers);
  }

  /// The tables first, which are the largest: each is in memory twice while it is packed, once in
  /// the file's pages. Errors stay in the loader.
  void load_tables(WeightLoader& loader);
  void load_layers(WeightLoader& loader);
  /// Once, before what follows. Errors: kOutOfMemory.
  Result<void> add_rotations();
  Result<void> reserve(MaxRows most);
  void add_limits(StepLimits& limits, int64_t max_tokens) const;
  size_t weight_bytes() const;

  /// Errors: those of AdapterLoader::load.
  Result<void> add_adapter(AdapterId adapter, AdapterLoader& loader);
  void remove_adapter(AdapterId adapter);
  size_t adapter_bytes() const;

  /// As Decoder::forward, of this range.
  void forward(const DeviceBatch& batch, const CacheStorage& kv, TensorView logits);
  /// As Decoder::carried.
  std::vector<TensorView> carried(int64_t num_tokens) const;
  TensorView hidden(int64_t num_rows) const { return m_hidden.view.rows(0, num_rows); }

 private:
  bool has_embedding() const { return m_range.first == 0; }
  bool has_head() const { return m_range.end() == m_config.num_layers; }
  bool has_per_layer() const { return m_config.per_layer.width > 0; }
  bool has_streams() const { return m_config.alt_up.num_streams > 0; }
  /// Of the residual: all streams of a model with AltUp.
  int64_t residual_width() const {
    return int64_t{m_config.hidden_size} * std::max(1, m_config.alt_up.num_streams);
  }
  TensorView residual(int64_t num_tokens) const { return m_residual.view.rows(0, num_tokens); }
  Mixer::Step step_of(int layer, const DeviceBatch& batch, const CacheStorage& kv);
  const LinearWeight& head() const { return m_head ? *m_head : *m_embedding; }
  void load_positions(WeightLoader& loader);
  Result<DeviceTensor> allocate_per_layer(int64_t max_tokens) const;
  const Norm& norm_after(size_t layer) const;
  Result<void> reserve_adapters(int64_t max_tokens);
  Stream begin(const DeviceBatch& batch);
  void finish(ConstTensorView hidden, TensorView logits) const;

  Backend& m_backend;
  const LayerRange m_range;
  const ModelConfig& m_config;
  std::unique_ptr<LinearWeight> m_embedding;  ///< (V, C); null without the first layer.
  std::unique_ptr<LinearWeight> m_positions;  ///< (num_learned_positions, C), or null.
  std::unique_ptr<LinearWeight> m_head;       ///< (V, C); null where the embedding is used.
  DeviceTensor m_head_bias;                   ///< (V) f32, or empty.
  AltUpEnds m_stream_ends;                    ///< Of a model with AltUp.
  PerLayerEmbeddings m_per_layer_embeddings;  ///< With the embedding, of a model that has some.
  std::vector<DecoderLayer> m_layers;
  std::vector<WeightLoader::AdapterSlot> m_slots;  ///< Of all linear layers.
  std::unique_ptr<AdapterStep> m_adapter_step = std::make_unique<AdapterStep>();
  Norm m_embedding_norm;
  Norm m_final_norm;  ///< Exists with the head.
  Rotations m_rotations;
  MaxRows m_reserved;
  Workspace m_work;
  DeviceTensor m_residual;         ///< (max_tokens, N C) f32; N is 1 without AltUp.
  DeviceTensor m_hidden;           ///< (max_tokens, C) f32.
  DeviceTensor m_wanted_residual;  ///< (max_logits, N C) f32.
  DeviceTensor m_per_layer;        ///< (max_tokens, L P) f32, or empty.
};

void Decoder::Stage::load_tables(WeightLoader& loader) {
  const auto table = [&](const char* name) {
    const WeightLoader::Part part[] = {
        {.name = name, .num_outputs = m_config.vocab_size, .is_table = true}};
    return loader.linear(part, m_config.hidden_size);
  };
  loader.place_on(m_backend);
  if (has_embedding()) {
    m_embedding = table("token_embd.weight");
    load_positions(loader);
    if (m_config.norms_embeddings) {
      m_embedding_norm = {loader.ones(m_config.hidden_size), m_config.norm_eps};
    }
    if (has_per_layer()) m_per_layer_embeddings = PerLayerEmbeddings(m_config, loader);
    if (has_streams()) m_stream_ends.load_first(m_config, loader);
  }
  if (!has_head()) return;
  const bool is_tied = m_config.tie_word_embeddings;
  // Another device's embedding cannot be used.
  if (!is_tied || !has_embedding()) m_head = table(is_tied ? "token_embd.weight" : "output.weight");
  const WeightLoader::Part bias[] = {{.name = "output.bias", .num_outputs = m_config.vocab_size}};
  if (m_config.head_bias) m_head_bias = loader.vector(bias);
}

void Decoder::Stage::load_positions(WeightLoader& loader) {
  const int count = m_config.num_learned_positions;
  const WeightLoader::Part part[] = {{.name = "position_embd.weight",
                                      .num_outputs = count,
                                      .first_row = m_config.first_learned_position,
                                      .is_table = true}};
  if (count > 0) m_positions = loader.linear(part, m_config.hidden_size);
}

void Decoder::Stage::load_layers(WeightLoader& loader) {
  loader.place_on(m_backend);
  for (int i = m_range.first; i < m_range.end(); ++i) {
    m_layers.emplace_back(m_config, i, LayerTensors(loader, i));
  }
  m_slots = loader.take_slots();
  for (const WeightLoader::AdapterSlot& slot : m_slots) slot.adapters->use(*m_adapter_step);
  if (!has_head()) return;
  if (has_streams()) m_stream_ends.load_last(m_config, loader);
  m_final_norm = loader.norm("output_norm", m_config.hidden_size, m_config.norm, m_config.norm_eps);
}

Result<void> Decoder::Stage::add_rotations() {
  auto rotations = Rotations::create(m_backend, m_config);
  if (!rotations) return rotations.error();
  m_rotations = std::move(*rotations);
  return {};
}

Result<void> Decoder::Stage::reserve(MaxRows most) {
  CHECK(most.tokens > 0 && most.logits > 0);
  if (most.tokens <= m_reserved.tokens && most.logits <= m_reserved.logits) return {};
  most = {std::max(most.tokens, m_reserved.tokens), std::max(most.logits, m_reserved.logits)};
  Workspace work(m_backend);
  {
    const Workspace::Scope scope(work);
    m_per_layer_embeddings.measure(work, most.tokens);
    m_stream_ends.measure(work, most.logits);
    m_rotations.measure(work, most.tokens);
    for (const DecoderLayer& layer : m_layers) layer.measure(work, most);
  }
  auto residual = allocate_tensor(m_backend, DType::kF32, {most.tokens, residual_width()});
  if (!residual) return residual.error();
  auto hidden = allocate_tensor(m_backend, DType::kF32, {most.tokens, m_config.hidden_size});
  if (!hidden) return hidden.error();
  auto wanted = allocate_tensor(m_backend, DType::kF32, {most.logits, residual_width()});
  if (!wanted) return wanted.error();
  auto per_layer = allocate_per_layer(most.tokens);
  if (!per_layer) return per_layer.error();
  if (auto allocated = work.allocate(); !allocated) return allocated;
  if (auto reserved = reserve_adapters(most.tokens); !reserved) return reserved;
  m_per_layer = std::move(*per_layer);
  m_residual = std::move(*residual);
  m_hidden = std::move(*hidden);
  m_wanted_residual = std::move(*wanted);
  m_work = std::move(work);
  m_reserved = most;
  return {};
}

/// Empty for a model without per-layer embeddings.
Result<DeviceTensor> Decoder::Stage::allocate_per_layer(int64_t max_tokens) const {
  if (!has_per_layer()) return DeviceTensor();
  const int64_t columns = int64_t{m_config.num_layers} * m_config.per_layer.width;
  return allocate_tensor(m_backend, DType::kF32, {max_tokens, columns});
}

std::vector<TensorView> Decoder::Stage::carried(int64_t num_tokens) const {
  std::vector<TensorView> views = {residual(num_tokens)};
  if (has_per_layer()) views.push_back(m_per_layer.view.rows(0, num_tokens));
  return views;
}

void Decoder::Stage::add_limits(StepLimits& limits, int64_t max_tokens) const {
  m_per_layer_embeddings.add_limits(limits, max_tokens);
  m_stream_ends.add_limits(limits, max_tokens);
  for (const DecoderLayer& layer : m_layers) layer.add_limits(limits, max_tokens);
  std::set<int64_t> ranks;
  for (const WeightLoader::AdapterSlot& slot : m_slots) {
    for (const auto& [adapter, update] : slot.adapters->updates()) {
      ranks.insert(update.b->num_inputs());
    }
  }
  for (const int64_t rank : ranks) limits.activations.push_back({max_tokens, rank});
}

/// Work space for the adapters loaded so far.
Result<void> Decoder::Stage::reserve_adapters(int64_t max_tokens) {
  int64_t max_rank = 0, max_outputs = 0;
  for (const WeightLoader::AdapterSlot& slot : m_slots) {
    for (const auto& [adapter, update] : slot.adapters->updates()) {
      max_rank = std::max(max_rank, update.b->num_inputs());
      max_outputs = std::max(max_outputs, update.b->num_outputs());
    }
  }
  if (max_rank == 0 || max_tokens == 0) return {};
  return m_adapter_step->reserve(m_backend, max_tokens, max_rank, max_outputs);
}

Result<void> Decoder::Stage::add_adapter(AdapterId adapter, AdapterLoader& loader) {
  for (const WeightLoader::AdapterSlot& slot : m_slots) {
    auto update = loader.load(slot, m_backend);
    if (!update) return update.error();
    if (*update) slot.adapters->add(adapter, std::move(**update));
  }
  return reserve_adapters(m_reserved.tokens);
}

void Decoder::Stage::remove_adapter(AdapterId adapter) {
  for (const WeightLoader::AdapterSlot& slot : m_slots) slot.adapters->remove(adapter);
}

size_t Decoder::Stage::adapter_bytes() const {
  size_t total = 0;
  for (const WeightLoader::AdapterSlot& slot : m_slots) total += slot.adapters->size_bytes();
  return total;
}

size_t Decoder::Stage::weight_bytes() const {
  size_t total = m_embedding_norm.size_bytes() + m_final_norm.size_bytes() +
                 m_head_bias.size_bytes() + m_per_layer_embeddings.size_bytes() +
                 m_stream_ends.size_bytes();
  if (m_positions) total += m_positions->size_bytes();
  if (m_embedding) total += m_embedding->size_bytes();
  if (m_head) total += m_head->size_bytes();
  for (const DecoderLayer& layer : m_layers) total += layer.size_bytes();
  return total;
}

void Decoder::Stage::forward(const DeviceBatch& batch, const CacheStorage& kv, TensorView logits) {
  CHECK(batch.num_tokens() > 0 && batch.num_tokens() <= m_reserved.tokens);
  CHECK(batch.logits_rows.dim(0) <= m_reserved.logits);
  const Workspace::Scope scope(m_work);
  m_adapter_step->begin(batch.adapters, batch.num_tokens());
  Stream stream = begin(batch);
  m_rotations.compute(m_backend, m_work, batch.positions);
  // Without wanted logits the layers that only read other layers' caches have nothing to do.
  const int64_t num_wanted = batch.logits_rows.dim(0);
  const int num_needed = num_wanted > 0 ? m_config.num_layers : num_caching_layers(m_config);
  const TensorView wanted_residual = m_wanted_residual.view.rows(0, num_wanted);
  for (size_t i = 0; i < m_layers.size(); ++i) {
    const int layer = m_range.first + static_cast<int>(i);
    if (layer >= num_needed) return;
    Mixer::Step step = step_of(layer, batch, kv);
    // The last layer computes only the rows whose logits are wanted.
    if (layer + 1 == num_needed) step.rows = batch.logits_rows;
    stream = m_layers[i].forward(step, stream, wanted_residual, norm_after(i));
  }
  if (!has_head() || num_wanted == 0) return;
  if (has_streams()) {
    m_stream_ends.merge(m_backend, m_work, stream.hidden, stream.residual);
    m_final_norm.apply(m_backend, stream.hidden, stream.hidden);
  }
  if (!logits.empty()) finish(stream.hidden, logits);
}

Mixer::Step Decoder::Stage::step_of(int layer, const DeviceBatch& batch, const CacheStorage& kv) {
  const int width = m_config.per_layer.width;
  const int rope = m_config.layers[static_cast<size_t>(layer)].rope;
  Mixer::Step step = {.backend = m_backend,
                      .work = m_work,
                      .batch = batch,
                      .kv = kv,
                      .cos_sin = m_rotations.cos_sin(rope),
                      .rows = std::nullopt};
  if (width == 0) return step;
  const TensorView rows = m_per_layer.view.rows(0, batch.num_tokens());
  step.per_layer = rows.columns(int64_t{layer} * width, width);
  return step;
}

/// The norm before the next layer of this stage, or before the head; one that does not exist if
/// another stage computes the next layer.
const Norm& Decoder::Stage::norm_after(size_t layer) const {
  return layer + 1 < m_layers.size() ? m_layers[layer + 1].input_norm() : m_final_norm;
}

/// The input of the first layer.
Stream Decoder::Stage::begin(const DeviceBatch& batch) {
  const int64_t num_tokens = batch.num_tokens();
  const Stream stream = {residual(num_tokens), m_hidden.view.rows(0, num_tokens)};
  if (has_embedding()) {
    const TensorView embedded = stream.residual.columns(0, m_config.hidden_size);
    m_backend.embed(embedded, *m_embedding, batch.ids, m_config.embedding_scale);
    m_embedding_norm.apply(m_backend, embedded, embedded);
    if (m_positions) {
      m_backend.embed(stream.hidden, *m_positions, batch.positions, 1.0f);
      m_backend.add(stream.residual, stream.hidden);
    }
    if (has_per_layer()) {
      m_per_layer_embeddings.compute(m_backend, m_work, m_per_layer.view.rows(0, num_tokens),
                                     embedded, batch.ids);
    }
    if (has_streams()) m_stream_ends.spread(m_backend, stream.residual);
  }
  m_layers.front().input_norm().apply(m_backend, stream.hidden, stream.residual);
  return stream;
}

void Decoder::Stage::finish(ConstTensorView hidden, TensorView logits) const {
  m_backend.linear(logits, hidden, head(), m_head_bias.view);
  if (m_config.logits_scale != 1.0f) m_backend.scale(logits, m_config.logits_scale);
  if (m_config.logits_soft_cap > 0.0f) m_backend.soft_cap(logits, m_config.logits_soft_cap);
}

CacheLayout cache_layout(const ModelConfig& config, DType dtype) {
  CacheLayout layout = {.dtype = dtype, .layers = {}};
  for (int i = 0; i < config.num_layers; ++i) {
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
    decoder->m_stages.push_back(std::make_unique<Stage>(range, decoder->m_config));
  }
  for (const auto& stage : decoder->m_stages) stage->load_tables(loader);
  for (const auto& stage : decoder->m_stages) stage->load_layers(loader);
  const int num_more = speculative_layers ? decoder->m_config.num_speculative_layers : 0;
  for (int i = 0; i < num_more; ++i) {  // The last stage's backend is the current one.
    decoder->m_speculative_layers.emplace_back(decoder->m_config, i, loader);
  }
  if (auto loaded = loader.finish(); !loaded) return loaded.error();
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
                      TensorView logits) {
  m_stages.at(range)->forward(batch, kv, logits);
}

TensorView Decoder::states(int64_t num_rows) const {
  return m_stages.back()->hidden(num_rows);
}

std::vector<TensorView> Decoder::carried(size_t range, int64_t num_tokens) const {
  return m_stages.at(range)->carried(num_tokens);
}

}  // namespace quire
